// Weak memory, an experiment: a load may return an older value than the latest one, where nothing
// orders the load behind the writes that it misses. What a missing release or acquire does to a
// result is then seen in the result, and not by the race detector alone.
//
// Which values a load may return is decided by the race detector's clock C (race/detector.h): a
// write is missed only if it does not happen before the load, if the loading thread has neither
// made it nor seen it or a later one to the same bytes, and if no access that has seen it happens
// before the load. So what C orders is never seen out of order, and each byte's values are seen in
// the order of its writes.
//
// A plain load is done by the kernel's own instruction behind the hook: the older value is put into
// memory and taken out again at the next thing that the same fiber does, before any other runs.
//
// Less than the model allows: only the last few writes to a cell of 16 bytes can be missed; copies,
// fills and host code see and show everything at once; read-modify-writes see the latest value. An
// atomic load is given an older value only if the write that it comes from orders nothing new.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "sim/race/actor.h"
#include "sim/race/stamp.h"
#include "sim/random.h"

namespace rankle::sim {

class WeakMemory {
 public:
  // Forgets all; the choices of the run that begins come from `seed`.
  void begin_run(std::uint64_t seed);

  // Before a write to [address, address + bytes), which lie in one cell, while the old value is
  // still there. Addresses are owners'.
  void before_write(const race::Thread& thread, std::uintptr_t address, std::size_t bytes);

  // Before a plain load, or a volatile one, which is atomic: true if an older value is in place.
  bool before_load(const race::Thread& thread, std::uintptr_t address, std::size_t bytes,
                   bool is_atomic);
  // Takes it out again.
  void restore();

  // What an atomic load is to return instead of the latest value; nothing: that one.
  std::optional<std::uint64_t> older_value(const race::Thread& thread, std::uintptr_t address,
                                           std::size_t bytes);

  // Everybody sees what is there now: it was written by a copy, a fill or the host, or the memory
  // has been freed.
  void forget(std::uintptr_t address, std::size_t bytes);

 private:
  using Bytes = std::array<std::byte, race::kCellBytes>;
  struct Write {
    race::Stamp by;                    // its mask: the bytes of the cell ...
    Bytes before;                      // ... and what the cell held
    std::vector<race::Stamp> seen_by;  // threads that have read it or later ones
    int missed = 0;                    // times
  };
  // What a load that misses some writes finds in [address, address + bytes); false: it misses none.
  bool choose(const race::Thread& thread, std::uintptr_t address, std::size_t bytes, bool is_atomic,
              Bytes& value);
  static bool must_see(const race::Thread& thread, const Write& write);
  static void note_seen(const race::Thread& thread, Write& write);
  static void keep_own_block(const race::Thread& thread, std::uintptr_t cell,
                             std::vector<Write>& writes);

  Random random_{0};
  std::unordered_map<std::uintptr_t, std::vector<Write>> cells_;  // latest last; by cell address
  std::uintptr_t placed_at_ = 0;
  std::size_t placed_bytes_ = 0;
  Bytes latest_{};
};

extern WeakMemory g_weak;

}  // namespace rankle::sim
