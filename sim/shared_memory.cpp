// Shared memory of running blocks: slots, variables in them, and the compiler's way to them.
#include "sim/shared_memory.h"

#include <algorithm>

#include "sim/caller.h"
#include "sim/engine.h"

namespace rankle::sim {
namespace {

constexpr std::uint32_t kGap = 64;

// The control object of -femulated-tls, as libgcc and compiler-rt define it.
struct EmulatedTlsControl {
  std::size_t bytes;
  std::size_t alignment;
  void* storage;
  const void* initial;
};

void* shared_variable(Thread& thread, const void* control, std::size_t bytes,
                      std::size_t alignment) {
  Block& block = *thread.wave->block;
  const std::uint32_t offset = shared_offset(*block.launch, control, bytes, alignment);
  if (offset == ~std::uint32_t{0}) {
    Engine::instance().report(ReportKind::api_error,
                              "the shared variables of one block need more than " +
                                  std::to_string(kSharedBytesMax) + " bytes",
                              {here(RANKLE_CALLER)});
    return reinterpret_cast<void*>(block.shared);
  }
  return reinterpret_cast<void*>(block.shared + offset);
}

}  // namespace

std::uintptr_t make_shared_slot() {
  const std::uintptr_t slot = memory().allocate(kSharedRegion, kSharedBytesMax);
  memory().find(slot)->label = "shared memory";
  return slot;
}

void clear_shared_slot(std::uintptr_t slot) {
  for (std::uintptr_t page = slot; page < slot + kSharedBytesMax; page += kPageBytes) {
    if (Memory::page_of(page).touched != 0) memory().mark_uninitialised(page, kPageBytes);
  }
}

std::uint32_t shared_offset(Launch& launch, const void* control, std::size_t bytes,
                            std::size_t alignment) {
  for (const SharedVariable& v : launch.shared) {
    if (v.control == control) return v.offset;
  }
  const auto align = static_cast<std::uint32_t>(std::max<std::size_t>(alignment, 16));
  const std::uint32_t offset = (launch.shared_bytes + align - 1) / align * align;
  if (offset + bytes > kSharedBytesMax) return ~std::uint32_t{0};
  launch.shared.push_back({control, offset, static_cast<std::uint32_t>(bytes)});
  launch.shared_bytes = offset + static_cast<std::uint32_t>(bytes) + kGap;
  return offset;
}

bool find_shared(std::uintptr_t address, std::size_t bytes) {
  if (g_hot.thread == nullptr) return false;
  const Block& block = *g_hot.thread->wave->block;
  const std::uintptr_t offset = address - block.shared;
  for (const SharedVariable& v : block.launch->shared) {
    if (offset < v.offset || offset + bytes > v.offset + v.bytes) continue;
    g_hot.shared_begin = block.shared + v.offset;
    g_hot.shared_bytes = v.bytes;
    return true;
  }
  return false;
}

}  // namespace rankle::sim

using rankle::sim::g_hot;

// Plugins are linked with --wrap=__emutls_get_address: without it libgcc's own copy may be bound
// instead.
extern "C" __attribute__((visibility("default"))) void* __wrap___emutls_get_address(void* control) {
  auto* c = static_cast<rankle::sim::EmulatedTlsControl*>(control);
  if (g_hot.thread == nullptr) {
    rankle::sim::Engine::instance().report(rankle::sim::ReportKind::api_error,
                                           "host code reads a shared variable",
                                           {rankle::sim::here(RANKLE_CALLER)});
    static char nowhere[rankle::sim::kSharedBytesMax];
    return nowhere;
  }
  if (c->initial != nullptr) {
    rankle::sim::Engine::instance().report(
        rankle::sim::ReportKind::api_error,
        "a shared variable of " + std::to_string(c->bytes) +
            " bytes has an initialiser, which a GPU ignores or refuses",
        {rankle::sim::here(RANKLE_CALLER)});
  }
  return rankle::sim::shared_variable(*g_hot.thread, c, c->bytes, c->alignment);
}

extern "C" __attribute__((visibility("default"))) void* rankle_sim_dynamic_shared() {
  if (g_hot.thread == nullptr) return nullptr;
  const std::size_t bytes = g_hot.thread->wave->block->launch->dynamic_shared_bytes;
  return rankle::sim::shared_variable(*g_hot.thread, nullptr, bytes, 16);
}
