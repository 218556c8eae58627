// Copies, fills and stream-ordered allocation as streams carry them out: every operand is checked
// like an access of the stream's rank.
#include "sim/transfer.h"

#include <cstring>

#include <fmt/format.h>

#include "sim/engine.h"
#include "sim/graph.h"
#include "sim/hooks.h"
#include "sim/race_feed.h"

namespace rankle::sim {
namespace {

ThreadId owner_of(const Op& op) { return {op.stream->rank, -1, -1, op.step}; }

// Where the records of an operand are kept: for an open IPC mapping at its owner's address. 0 if
// the mapping is closed, was made for memory that is gone, or is not this rank's.
std::uintptr_t records_of(const Op& op, const void* pointer) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (!in_window(address)) return address;
  const Mapping* const mapping = windows().find(address);
  const bool open = mapping != nullptr && mapping->opened > 0 && !mapping->freed &&
                    mapping->rank == op.stream->rank;
  return open ? owner_address(address) : 0;
}

// Reports a range that is not inside one live allocation that the stream's rank may use; false
// then.
bool check(const Op& op, const void* pointer, const char* what) {
  if (!Memory::contains(pointer) || op.bytes == 0) return true;
  const auto shown = reinterpret_cast<std::uintptr_t>(pointer);
  const std::uintptr_t address = records_of(op, pointer);
  const Allocation* const a = address == 0 ? nullptr : memory().find(address);
  const bool inside = a != nullptr && !a->freed && !a->pending && address >= a->begin &&
                      address + op.bytes <= a->end;
  const bool foreign = inside && !in_window(shown) && a->rank >= 0 && a->rank != op.stream->rank &&
                       Engine::instance().config().separate_address_spaces;
  if (inside && !foreign) return true;
  std::string message =
      fmt::format("{} of {} bytes at {}", what, op.bytes, memory().describe(owner_address(shown)));
  ReportKind kind = ReportKind::out_of_bounds;
  if (foreign) {
    kind = ReportKind::peer_access;
    message += fmt::format(", through a raw pointer of rank {}'s process", a->rank);
  } else if (address == 0) {
    kind = ReportKind::use_after_free;
    message += ", through an IPC mapping that this rank does not have open";
  } else if (a != nullptr && (a->freed || a->pending)) {
    kind = ReportKind::use_after_free;
  }
  Engine::instance().report(kind, std::move(message), {{op.site, owner_of(op)}});
  return false;
}

void wrote(std::uintptr_t to, std::size_t bytes) {
  if (g_hot.weak) g_weak.forget(to, bytes);
  Engine::instance().wake_watchers(to, bytes);
}

}  // namespace

void transfer_copy(const Op& op) {
  if (op.bytes == 0) return;
  if (!check(op, op.from, "copy from") || !check(op, op.to, "copy to")) return;
  const bool from_device = Memory::contains(op.from);
  const bool to_device = Memory::contains(op.to);
  const std::uintptr_t from = records_of(op, op.from);
  const std::uintptr_t to = records_of(op, op.to);
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
  if (to_device) wrote(to, op.bytes);
  if (op.race.op == nullptr) return;
  race::Thread* const actor = g_races->op_actor(op.race.op);
  if (from_device) g_races->read(actor, from, op.bytes, op.site);
  if (to_device) g_races->write(actor, to, op.bytes, op.site);
}

void transfer_fill(const Op& op) {
  if (op.bytes == 0 || !check(op, op.to, "fill")) return;
  const bool to_device = Memory::contains(op.to);
  const std::uintptr_t to = records_of(op, op.to);
  mix(to_device ? to : 0);
  mix(op.bytes);
  if (op.width == 1) {
    std::memset(op.to, static_cast<int>(op.value), op.bytes);
  } else {
    for (std::size_t at = 0; at < op.bytes; at += op.width) {
      std::memcpy(static_cast<char*>(op.to) + at, &op.value, op.width);
    }
  }
  if (!to_device) return;
  memory().mark_initialised(to, op.bytes);
  wrote(to, op.bytes);
  if (op.race.op != nullptr) g_races->write(g_races->op_actor(op.race.op), to, op.bytes, op.site);
}

void transfer_allocate(const Op& op) {
  const auto address = reinterpret_cast<std::uintptr_t>(op.to);
  const Allocation* const a = memory().find(address);
  if (a != nullptr && a->pending) memory().activate(address);
  // Again at the same address: nothing of the launch before may be relied on.
  if (graphs().memory_at(address) != nullptr) memory().mark_uninitialised(address, a->bytes);
}

void transfer_release(const Op& op) {
  const auto address = reinterpret_cast<std::uintptr_t>(op.to);
  const Allocation* const a = memory().find(address);
  const bool of_graph = a != nullptr && graphs().memory_at(address) != nullptr;
  if (of_graph && !a->pending) return memory().suspend(address);  // until the next launch
  if (!of_graph && a != nullptr && a->pending) memory().activate(address);
  if (!of_graph && memory().release(address)) return;
  Engine::instance().report(ReportKind::api_error,
                            fmt::format("hipFreeAsync of {}, which was freed in the meantime",
                                        memory().describe(address)),
                            {{op.site, owner_of(op)}});
}

}  // namespace rankle::sim
