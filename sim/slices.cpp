// Slices of plain accesses: what happens between two moments in which the engine looks at a thread
// that does nothing but read and write.
#include "sim/engine.h"
#include "sim/weak_memory.h"

namespace rankle::sim {
namespace {

constexpr std::uint64_t kSlice = std::uint64_t{1} << 20;

}  // namespace

// Accesses until end_slice: one, if each is a switch point or may find an older value in memory.
std::uint64_t Engine::slice() const {
  return config_.granularity == Granularity::access || g_hot.weak ? 1 : kSlice;
}

void Engine::begin_weak_memory() {
  g_hot.weak = config_.weak_memory != 0 && config_.detect_races;
  if (g_hot.weak) g_weak.begin_run(config_.weak_memory);
}

void Engine::end_slice(std::uintptr_t pc) {
  restore_latest_value();
  result_.stats.accesses += slice();
  g_hot.slice = slice();
  if (result_.stats.accesses + g_hot.step > config_.steps_max) {
    report(ReportKind::livelock,
           text_of(current_id()) + " was still running after the limit of " +
               std::to_string(config_.steps_max) + " accesses and steps",
           {here(pc)});
    stopped_ = true;  // whatever was asked for: this would go on for ever
    if (g_hot.thread != nullptr) yield();
    return;
  }
  if (g_hot.thread == nullptr) return;
  if (config_.granularity == Granularity::access) return switch_point();
  if (result_.stats.accesses % kSlice != 0) return;
  give_way_ = true;
  ++result_.stats.gave_way;
  yield();
}

}  // namespace rankle::sim
