// A small world for the race detector's unit tests: two devices, a stream each, kernels of two
// blocks of eight threads in waves of four. Sites are small numbers that the tests choose.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "sim/layout.h"
#include "sim/race/detector.h"

namespace rankle::sim::race::testing {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

inline constexpr std::uintptr_t kWord = kBase + 0x2000;
inline constexpr std::uintptr_t kFlag = kBase + 0x3000;
inline constexpr std::uint32_t kThreads = 8;
inline constexpr std::uint32_t kWave = 4;

struct Kernel {
  Op* op;
  std::vector<Block*> blocks;
};

class RaceTest : public ::testing::Test {
 protected:
  RaceTest() { begin({}); }

  void begin(const RaceOptions& options) {
    reports.clear();
    detector.begin_run([this](const RaceReport& report) { reports.push_back(report); }, options);
    streams = {detector.new_chain(), detector.new_chain()};
  }

  // A kernel on the stream of a device, behind its predecessor there and the tokens.
  Kernel start(int device, std::vector<const Token*> after = {}) {
    Kernel kernel{detector.op_begin({streams[device], device, device, 7}, after), {}};
    for (std::uint32_t b = 0; b < 2; ++b) {
      kernel.blocks.push_back(detector.block_started(kernel.op, b, kThreads, kWave));
    }
    return kernel;
  }
  Token end(const Kernel& kernel) {
    for (Block* block : kernel.blocks) detector.block_ended(block);
    return detector.op_ended(kernel.op);
  }
  Thread* thread(const Kernel& kernel, std::size_t block, std::uint32_t index) {
    return detector.thread(kernel.blocks[block], index);
  }

  void write(Thread* t, std::uintptr_t pc, std::uintptr_t address = kWord, std::size_t bytes = 4) {
    detector.write(t, address, bytes, pc);
  }
  void read(Thread* t, std::uintptr_t pc, std::uintptr_t address = kWord, std::size_t bytes = 4) {
    detector.read(t, address, bytes, pc);
  }
  void store(Thread* t, Order order, Scope scope = Scope::system, std::uintptr_t pc = 101) {
    detector.atomic_store(t, kFlag, 4, order, scope, pc);
  }
  void load(Thread* t, Order order, Scope scope = Scope::system, std::uintptr_t pc = 102) {
    detector.atomic_load(t, kFlag, 4, order, scope, pc);
  }
  void add(Thread* t, Order order, Scope scope = Scope::system, std::uintptr_t pc = 103) {
    detector.atomic_rmw(t, kFlag, 4, order, scope, pc);
  }

  std::vector<RaceKind> kinds() const {
    std::vector<RaceKind> all;
    for (const RaceReport& report : reports) all.push_back(report.kind);
    return all;
  }

  RaceDetector detector;
  std::vector<std::uint32_t> streams;
  std::vector<RaceReport> reports;
};

}  // namespace rankle::sim::race::testing
