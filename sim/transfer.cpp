#include "sim/transfer.h"

#include <cstring>

#include "sim/engine.h"
#include "sim/hooks.h"

namespace rankle::sim {
namespace {

ThreadId owner_of(const Op& op) { return {op.stream->rank, -1, -1}; }

// Reports a range that is not inside one live allocation; false then.
bool check(const Op& op, const void* pointer, const char* what) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (!Memory::contains(pointer) || op.bytes == 0) return true;
  const Allocation* const a = memory().find(address);
  if (a != nullptr && !a->freed && address >= a->begin && address + op.bytes <= a->end) return true;
  const bool freed = a != nullptr && a->freed;
  std::string message = std::string(what) + " of " + std::to_string(op.bytes) + " bytes at " +
                        memory().describe(address);
  Engine::instance().report(freed ? ReportKind::use_after_free : ReportKind::out_of_bounds,
                            std::move(message), {{op.site, owner_of(op)}});
  return false;
}

void wrote(const Op& op) {
  const auto to = reinterpret_cast<std::uintptr_t>(op.to);
  Engine::instance().wake_watchers(to, op.bytes);
}

}  // namespace

void transfer_copy(const Op& op) {
  if (op.bytes == 0) return;
  if (!check(op, op.from, "copy from") || !check(op, op.to, "copy to")) return;
  const bool from_device = Memory::contains(op.from);
  const bool to_device = Memory::contains(op.to);
  const auto from = reinterpret_cast<std::uintptr_t>(op.from);
  const auto to = reinterpret_cast<std::uintptr_t>(op.to);
  mix(to_device ? to : 0);
  mix(from_device ? from : 0);
  mix(op.bytes);
  if (from_device) memory().poison_uninitialised(from, op.bytes);
  if (from_device && to_device) {
    memory().copy_initialised(to, from, op.bytes);
  } else {
    std::memmove(op.to, op.from, op.bytes);
    if (to_device) memory().mark_initialised(to, op.bytes);
  }
  if (to_device) wrote(op);
}

void transfer_fill(const Op& op) {
  if (op.bytes == 0 || !check(op, op.to, "fill")) return;
  const auto to = reinterpret_cast<std::uintptr_t>(op.to);
  mix(to);
  mix(op.bytes);
  std::memset(op.to, op.value, op.bytes);
  if (!Memory::contains(op.to)) return;
  memory().mark_initialised(to, op.bytes);
  wrote(op);
}

}  // namespace rankle::sim
