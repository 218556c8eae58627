// The words that the race detector shares with its reference: memory order and scope, the packed
// names of threads, and the epoch that stands for an access.
//
// An epoch is (block instance, thread, barrier phase of the block, release count of the thread
// within the phase), in 32 + 64 bits, so that a shadow entry with its site fits into 16 bytes.
#pragma once

#include <cstdint>

namespace rankle::sim::race {

enum class Order : std::uint8_t { relaxed, acquire, release, acq_rel, seq_cst };

// Also how far two threads are apart: in one wave, block, device, or further. A scope reaches a
// thread if it is at least that wide.
enum class Scope : std::uint8_t { wave, block, device, system };

inline constexpr int kScopes = 4;

constexpr bool releases(Order order) { return order >= Order::release; }
constexpr bool acquires(Order order) {
  return order == Order::acquire || order == Order::acq_rel || order == Order::seq_cst;
}
constexpr Scope narrower(Scope a, Scope b) { return a < b ? a : b; }

// A thread: block instance (from 1, unique until the ids run out) and linear index in the block.
using Who = std::uint32_t;
inline constexpr int kThreadBits = 10;
inline constexpr std::uint32_t kThreadsPerBlockMax = 1U << kThreadBits;
inline constexpr std::uint32_t kBlockIdMax = (1U << (32 - kThreadBits)) - 2;

constexpr Who who_of(std::uint32_t block, std::uint32_t thread) {
  return block << kThreadBits | thread;
}
constexpr std::uint32_t block_of(Who who) { return who >> kThreadBits; }
constexpr std::uint32_t thread_of(Who who) { return who & (kThreadsPerBlockMax - 1); }

// Phase (31 bits), release count (32 bits) and, lowest, whether the access wrote. What a thread
// publishes has that bit set, so that one comparison answers "is it at or before".
using Clock = std::uint64_t;
inline constexpr Clock kWriteBit = 1;

constexpr Clock clock_of(std::uint32_t phase, std::uint32_t count) {
  return Clock{phase} << 33 | Clock{count} << 1;
}
constexpr std::uint32_t phase_of(Clock clock) { return static_cast<std::uint32_t>(clock >> 33); }

// Index of a source position in the detector's SiteTable (16 bits).
using SiteId = std::uint32_t;

}  // namespace rankle::sim::race
