// The litmus suite of the race detector: small programs, each with one thing that is ordered or
// not, and the answer that the memory model gives. The table says what is expected; the tests hold
// the detector to it, and docs/detectors.md shows it.
#pragma once

#include <string>
#include <vector>

#include "sim/machine.h"

namespace rankle::sim::litmus {

struct Scene;

// How far the threads of the case are apart.
enum class Level { wave, block, device, system };

// Two source lines, in no order: "function mark", for the line of that function that ends with
// `// RACE mark`.
struct Finding {
  ReportKind kind = ReportKind::data_race;
  std::string one;
  std::string other;
};

// Every run that reports anything reports findings of this list, and each finding is reported under
// some schedule. No findings: no schedule reports anything.
struct Litmus {
  std::string name;  // race_* or clean_*
  Level level = Level::block;
  int devices = 1;
  std::string sentence;  // what the case is, and why it is right or wrong
  void (*play)(Scene& scene) = nullptr;
  std::vector<Finding> findings;
  // Why run-to-block, which lets the first block or rank run as far as it can, does not find it.
  // Empty: it does.
  std::string needs_order;
  VolatileModel volatile_model = VolatileModel::relaxed;
  int resident_blocks = 0;
  std::string file;  // filled in by litmus_table()

  bool is_racy() const { return !findings.empty(); }
};

// All of them, grouped by file.
const std::vector<Litmus>& litmus_table();

// The table as docs/detectors.md holds it.
std::string litmus_document();

// The rows of each file.
std::vector<Litmus> barrier_rows();
std::vector<Litmus> copy_rows();
std::vector<Litmus> counter_rows();
std::vector<Litmus> device_barrier_rows();
std::vector<Litmus> fence_rows();
std::vector<Litmus> grid_rows();
std::vector<Litmus> lock_rows();
std::vector<Litmus> mapping_rows();
std::vector<Litmus> mixed_rows();
std::vector<Litmus> message_rows();
std::vector<Litmus> slot_rows();
std::vector<Litmus> stream_rows();
std::vector<Litmus> volatile_rows();

}  // namespace rankle::sim::litmus
