// Atomic operations: performed here, one at a time, with a switch point before each. Two doors lead
// in: rankle_sim_atomic_* with a scope, from our headers, and the compiler's __tsan_atomic*, which
// know no scope and count as system scope.
#include "sim/atomics.h"

#include <bit>
#include <cstring>

#include "sim/hooks.h"
#include "sim/site_hash.h"

namespace rankle::sim {
namespace {

std::uint64_t mask_of(int bytes) {
  return bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * bytes)) - 1;
}

std::uint64_t get(const volatile void* p, int bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, const_cast<const void*>(p), static_cast<std::size_t>(bytes));
  return value;
}

void put(volatile void* p, std::uint64_t value, int bytes) {
  std::memcpy(const_cast<void*>(p), &value, static_cast<std::size_t>(bytes));
}

std::int64_t as_signed(std::uint64_t value, int bytes) {
  const int shift = 64 - 8 * bytes;
  return static_cast<std::int64_t>(value << shift) >> shift;
}

void check(const volatile void* p, int bytes, Access access, std::uintptr_t pc) {
  const void* const pointer = const_cast<const void*>(p);
  const bool write = access == Access::write;
  switch (bytes) {
    case 1:
      return write ? check_access<1, Access::write, Counts::as_atomic>(pointer, pc)
                   : check_access<1, Access::read, Counts::as_atomic>(pointer, pc);
    case 2:
      return write ? check_access<2, Access::write, Counts::as_atomic>(pointer, pc)
                   : check_access<2, Access::read, Counts::as_atomic>(pointer, pc);
    case 4:
      return write ? check_access<4, Access::write, Counts::as_atomic>(pointer, pc)
                   : check_access<4, Access::read, Counts::as_atomic>(pointer, pc);
    default:
      return write ? check_access<8, Access::write, Counts::as_atomic>(pointer, pc)
                   : check_access<8, Access::read, Counts::as_atomic>(pointer, pc);
  }
}

bool is_simulated(const volatile void* p) {
  return g_hot.thread != nullptr && Memory::contains(const_cast<const void*>(p));
}

std::uintptr_t owner_of(const volatile void* p) {
  return owner_address(reinterpret_cast<std::uintptr_t>(p));
}

void keep_old_value(const volatile void* p, int bytes) {
  if (g_hot.weak) g_weak.before_write(*g_hot.actor, owner_of(p), static_cast<std::size_t>(bytes));
}

void observe(int order, int scope, std::uintptr_t pc) {
  mix(site_hash(pc) ^ static_cast<std::uint64_t>(order << 8 | scope));
}

void changed(volatile void* p, std::uint64_t before, std::uint64_t after, int bytes,
             std::uintptr_t pc) {
  if (before == after) return;
  Engine& engine = Engine::instance();
  const std::uintptr_t word = owner_of(p);
  engine.note_progress(g_hot.thread);
  engine.note_write(word, after, pc);
  if (Memory::page_of(word).watchers != 0) {
    engine.wake_watchers(word, static_cast<std::size_t>(bytes));
  }
}

}  // namespace

std::uint64_t apply(Rmw operation, std::uint64_t old, std::uint64_t operand, int bytes) {
  const auto as_float = [](std::uint64_t v) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(v));
  };
  const auto as_double = [](std::uint64_t v) { return std::bit_cast<double>(v); };
  const auto on_float = [&](auto f) -> std::uint64_t {
    if (bytes == 4)
      return std::bit_cast<std::uint32_t>(static_cast<float>(f(as_float(old), as_float(operand))));
    return std::bit_cast<std::uint64_t>(static_cast<double>(f(as_double(old), as_double(operand))));
  };
  switch (operation) {
    case Rmw::exchange:
      return operand;
    case Rmw::add:
      return (old + operand) & mask_of(bytes);
    case Rmw::sub:
      return (old - operand) & mask_of(bytes);
    case Rmw::bit_and:
      return old & operand;
    case Rmw::bit_or:
      return old | operand;
    case Rmw::bit_xor:
      return old ^ operand;
    case Rmw::bit_nand:
      return ~(old & operand) & mask_of(bytes);
    case Rmw::signed_min:
      return as_signed(old, bytes) < as_signed(operand, bytes) ? old : operand;
    case Rmw::signed_max:
      return as_signed(old, bytes) > as_signed(operand, bytes) ? old : operand;
    case Rmw::unsigned_min:
      return old < operand ? old : operand;
    case Rmw::unsigned_max:
      return old > operand ? old : operand;
    case Rmw::float_add:
      return on_float([](auto a, auto b) { return a + b; });
    case Rmw::float_min:
      return on_float([](auto a, auto b) { return b < a ? b : a; });
    case Rmw::float_max:
      return on_float([](auto a, auto b) { return b > a ? b : a; });
    case Rmw::wrap_increment:
      return old >= operand ? 0 : old + 1;
    case Rmw::wrap_decrement:
      return old == 0 || old > operand ? operand : old - 1;
  }
  return operand;
}

std::uint64_t atomic_load(const volatile void* p, int bytes, int order, int scope,
                          std::uintptr_t pc) {
  if (!is_simulated(p)) {
    check(p, bytes, Access::read, pc);
    const std::uint64_t value = get(p, bytes);
    race_atomic(AtomicAccess::load, p, bytes, order, scope, pc);
    return value;
  }
  switch_point();
  check(p, bytes, Access::read, pc);
  observe(order, scope, pc);
  if (g_hot.weak) {
    if (const auto older = g_weak.older_value(*g_hot.actor, owner_of(p), std::size_t(bytes))) {
      return *older;
    }
  }
  Engine& engine = Engine::instance();
  for (;;) {
    const std::uint64_t value = get(p, bytes);
    if (!engine.spins(g_hot.thread, reinterpret_cast<std::uintptr_t>(p), bytes, value, pc)) {
      race_atomic(AtomicAccess::load, p, bytes, order, scope, pc);
      return value;
    }
    engine.park(g_hot.thread);
  }
}

void atomic_store(volatile void* p, std::uint64_t value, int bytes, int order, int scope,
                  std::uintptr_t pc) {
  if (!is_simulated(p)) {
    check(p, bytes, Access::write, pc);
    put(p, value, bytes);
    return race_atomic(AtomicAccess::store, p, bytes, order, scope, pc);
  }
  switch_point();
  const std::uint64_t before = get(p, bytes);
  check(p, bytes, Access::write, pc);
  observe(order, scope, pc);
  keep_old_value(p, bytes);
  put(p, value, bytes);
  changed(p, before, value & mask_of(bytes), bytes, pc);
  race_atomic(AtomicAccess::store, p, bytes, order, scope, pc);
}

std::uint64_t atomic_rmw(volatile void* p, std::uint64_t operand, int bytes, Rmw operation,
                         int order, int scope, std::uintptr_t pc) {
  const bool simulated = is_simulated(p);
  if (simulated) switch_point();
  check(p, bytes, Access::read, pc);
  check(p, bytes, Access::write, pc);
  if (simulated) observe(order, scope, pc);
  for (;;) {
    const std::uint64_t old = get(p, bytes);
    const std::uint64_t value = apply(operation, old, operand & mask_of(bytes), bytes);
    // A read-modify-write that changes nothing (a lock that is taken) is how some threads wait.
    if (simulated && value == old &&
        Engine::instance().spins(g_hot.thread, reinterpret_cast<std::uintptr_t>(p), bytes, old,
                                 pc)) {
      Engine::instance().park(g_hot.thread);
      continue;
    }
    if (simulated) keep_old_value(p, bytes);
    put(p, value, bytes);
    if (simulated) changed(p, old, value, bytes, pc);
    race_atomic(AtomicAccess::rmw, p, bytes, order, scope, pc);
    return old;
  }
}

std::uint64_t atomic_cas(volatile void* p, std::uint64_t expected, std::uint64_t desired, int bytes,
                         int order, int failure, int scope, std::uintptr_t pc) {
  const bool simulated = is_simulated(p);
  if (simulated) switch_point();
  check(p, bytes, Access::read, pc);
  if (simulated) observe(order, scope, pc);
  for (;;) {
    const std::uint64_t old = get(p, bytes);
    if (old != (expected & mask_of(bytes))) {
      if (!simulated || !Engine::instance().spins(g_hot.thread, reinterpret_cast<std::uintptr_t>(p),
                                                  bytes, old, pc)) {
        race_atomic(AtomicAccess::load, p, bytes, failure, scope, pc);
        return old;
      }
      Engine::instance().park(g_hot.thread);
      continue;
    }
    // In fine mode the check is a switch point: whoever came in between may have changed the word.
    check(p, bytes, Access::write, pc);
    if (get(p, bytes) != old) continue;
    if (simulated) keep_old_value(p, bytes);
    put(p, desired, bytes);
    if (simulated) changed(p, old, desired & mask_of(bytes), bytes, pc);
    race_atomic(AtomicAccess::rmw, p, bytes, order, scope, pc);
    return old;
  }
}

void fence(int order, int scope, std::uintptr_t pc) {
  if (g_hot.thread == nullptr) return;
  switch_point();
  observe(order, scope, pc);
  race_fence(order, scope);
}

}  // namespace rankle::sim
