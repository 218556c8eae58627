// The functions that -fsanitize=thread makes the compiler call, defined by us in place of
// ThreadSanitizer's runtime. Names and signatures are the compiler's interface.
#include "sim/hooks.h"

#include <cstring>

#include "sim/atomics.h"
#include "sim/caller.h"
#include "sim/site_hash.h"

namespace rankle::sim {
namespace {

// A volatile access is a relaxed one at system scope (as in PTX): it may be what a thread spins on.
template <std::size_t bytes, Access access>
__attribute__((always_inline)) inline void check_volatile(const void* pointer, std::uintptr_t pc) {
  if (!Memory::contains(pointer) || g_hot.thread == nullptr) {
    return check_access<bytes, access>(pointer, pc);
  }
  switch_point();
  mix(site_hash(pc));
  Engine& engine = Engine::instance();
  const bool is_plain = engine.config().volatile_model == VolatileModel::plain;
  if (is_plain) {
    check_access<bytes, access>(pointer, pc);
  } else {
    check_access<bytes, access, Counts::as_atomic>(pointer, pc);
  }
  const auto tell = [&] {
    if (is_plain) return;
    race_atomic(access == Access::read ? AtomicAccess::load : AtomicAccess::store, pointer, bytes,
                __ATOMIC_RELAXED, kSystemScope, pc);
  };
  if (g_hot.weak && !is_plain) {
    const std::uintptr_t address = owner_address(reinterpret_cast<std::uintptr_t>(pointer));
    if constexpr (access == Access::write) {
      g_weak.before_write(*g_hot.actor, address, bytes);
    } else if (g_weak.before_load(*g_hot.actor, address, bytes, true)) {
      return;
    }
  }
  if constexpr (access == Access::read && bytes <= 8) {
    for (;;) {
      std::uint64_t value = 0;
      std::memcpy(&value, pointer, bytes);
      const auto word = reinterpret_cast<std::uintptr_t>(pointer);
      if (!engine.spins(g_hot.thread, word, bytes, value, pc)) return tell();
      engine.park(g_hot.thread);
    }
  }
  tell();
}

}  // namespace
}  // namespace rankle::sim

using rankle::sim::Access;

#define RANKLE_HOOKS(BYTES)                                                                   \
  void __tsan_read##BYTES(void* p) {                                                          \
    rankle::sim::check_access<BYTES, Access::read>(p, RANKLE_CALLER);                         \
  }                                                                                           \
  void __tsan_write##BYTES(void* p) {                                                         \
    rankle::sim::check_access<BYTES, Access::write>(p, RANKLE_CALLER);                        \
  }                                                                                           \
  void __tsan_unaligned_read##BYTES(void* p) {                                                \
    rankle::sim::check_range(p, BYTES, Access::read, RANKLE_CALLER);                          \
  }                                                                                           \
  void __tsan_unaligned_write##BYTES(void* p) {                                               \
    rankle::sim::check_range(p, BYTES, Access::write, RANKLE_CALLER);                         \
  }                                                                                           \
  void __tsan_read##BYTES##_pc(void* p, void* pc) {                                           \
    rankle::sim::check_access<BYTES, Access::read>(p, reinterpret_cast<std::uintptr_t>(pc));  \
  }                                                                                           \
  void __tsan_write##BYTES##_pc(void* p, void* pc) {                                          \
    rankle::sim::check_access<BYTES, Access::write>(p, reinterpret_cast<std::uintptr_t>(pc)); \
  }                                                                                           \
  void __tsan_volatile_read##BYTES(void* p) {                                                 \
    rankle::sim::check_volatile<BYTES, Access::read>(p, RANKLE_CALLER);                       \
  }                                                                                           \
  void __tsan_volatile_write##BYTES(void* p) {                                                \
    rankle::sim::check_volatile<BYTES, Access::write>(p, RANKLE_CALLER);                      \
  }                                                                                           \
  void __tsan_unaligned_volatile_read##BYTES(void* p) {                                       \
    rankle::sim::check_range(p, BYTES, Access::read, RANKLE_CALLER);                          \
  }                                                                                           \
  void __tsan_unaligned_volatile_write##BYTES(void* p) {                                      \
    rankle::sim::check_range(p, BYTES, Access::write, RANKLE_CALLER);                         \
  }

#pragma GCC visibility push(default)
extern "C" {

RANKLE_HOOKS(1)
RANKLE_HOOKS(2)
RANKLE_HOOKS(4)
RANKLE_HOOKS(8)
RANKLE_HOOKS(16)

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_ignore_thread_begin() {}
void __tsan_ignore_thread_end() {}
void __tsan_vptr_read(void**) {}
void __tsan_vptr_update(void** slot, void* value) {
  rankle::sim::check_access<8, Access::write>(static_cast<const void*>(slot), RANKLE_CALLER);
  (void)value;
}

void __tsan_read_range(void* p, std::size_t bytes) {
  rankle::sim::check_range(p, bytes, Access::read, RANKLE_CALLER);
}
void __tsan_write_range(void* p, std::size_t bytes) {
  rankle::sim::check_range(p, bytes, Access::write, RANKLE_CALLER);
}
void* __tsan_memcpy(void* to, const void* from, std::size_t bytes) {
  rankle::sim::check_range(from, bytes, Access::read, RANKLE_CALLER);
  rankle::sim::check_range(to, bytes, Access::write, RANKLE_CALLER);
  return std::memcpy(to, from, bytes);
}
void* __tsan_memmove(void* to, const void* from, std::size_t bytes) {
  rankle::sim::check_range(from, bytes, Access::read, RANKLE_CALLER);
  rankle::sim::check_range(to, bytes, Access::write, RANKLE_CALLER);
  return std::memmove(to, from, bytes);
}
void* __tsan_memset(void* to, int value, std::size_t bytes) {
  rankle::sim::check_range(to, bytes, Access::write, RANKLE_CALLER);
  return std::memset(to, value, bytes);
}
}
#pragma GCC visibility pop
