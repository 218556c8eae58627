// Shared memory: each running block has a slot at a fixed address, in which the launch's shared
// variables lie with gaps between them, so that an index past one of them is seen.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rankle::sim {

struct Launch;

inline constexpr std::size_t kSharedBytesMax = 64 << 10;  // per block, as on CDNA

// Address of a new slot. Slots are reused, most recently freed first.
std::uintptr_t make_shared_slot();
// Everything in the slot becomes uninitialised.
void clear_shared_slot(std::uintptr_t slot);

// Offset of a variable in the slot of every block of the launch; assigned at its first use.
// `control` is the compiler's control object, or nullptr for the dynamic part. Returns ~0 if the
// slot is full.
std::uint32_t shared_offset(Launch& launch, const void* control, std::size_t bytes,
                            std::size_t alignment);

// True if [address, address + bytes) lies within one variable of the running thread's block, which
// is remembered in g_hot. False for host code.
bool find_shared(std::uintptr_t address, std::size_t bytes);

}  // namespace rankle::sim
