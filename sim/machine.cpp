// The public face of the simulator: what machine.h promises, handed on to engine and memory.
#include "sim/machine.h"

#include "sim/engine.h"
#include "sim/race_feed.h"

namespace rankle::sim {

Result run(const Config& config, const std::function<void(int rank)>& rank_main) {
  return Engine::instance().run(config, rank_main);
}

bool host_barrier() { return Engine::instance().host_barrier(); }

bool stopped() { return Engine::instance().is_stopped(); }

void label(const void* pointer, std::string_view name) {
  Allocation* const a = memory().find(reinterpret_cast<std::uintptr_t>(pointer));
  if (a != nullptr) a->label = name;
}

void note_step(int step) {
  if (HostRank* const host = Engine::instance().host(); host != nullptr) host->step = step;
}

void forget(void* pointer, std::size_t bytes) {
  memory().mark_uninitialised(reinterpret_cast<std::uintptr_t>(pointer), bytes);
}

void prefer_address(const void* freed) {
  const auto address = reinterpret_cast<std::uintptr_t>(freed);
  if (const Allocation* const a = memory().find(address); a != nullptr && a->freed) {
    forget_accesses(a->begin, a->bytes);
  }
  memory().prefer(address);
}

std::size_t uninitialised_bytes(const void* pointer, std::size_t bytes) {
  return memory().count_uninitialised(reinterpret_cast<std::uintptr_t>(pointer), bytes);
}

}  // namespace rankle::sim
