// What the scheduler can run next: a host rank, a stream with work, or a wave.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rankle::sim {

enum class EntityKind : std::uint8_t { host, stream, wave };

struct Entity {
  EntityKind kind = EntityKind::wave;
  // Stable under minimisation: made of kind, rank and the rank's own counters, never of global
  // ones.
  std::uint64_t id = 0;
  std::size_t position = npos;  // in the Runnable set
  Entity* previous = nullptr;   // in order of becoming runnable, among those of its rank
  Entity* next = nullptr;
  std::uint64_t since = 0;  // when it became runnable, or last went to the back

  static constexpr std::size_t npos = static_cast<std::size_t>(-1);
  bool is_runnable() const { return position != npos; }
};

// Ranks in an entity's id; the host's id is its rank.
constexpr int rank_of(std::uint64_t id) {
  return static_cast<int>((id >> 60) == 0 ? id & 0xf : id >> 56 & 0xf);
}
constexpr std::uint64_t host_entity(int rank) { return std::uint64_t(rank); }
constexpr std::uint64_t stream_entity(int rank, std::uint32_t stream) {
  return std::uint64_t{1} << 60 | std::uint64_t(rank) << 56 | stream;
}
constexpr std::uint64_t wave_entity(int rank, std::uint32_t launch, std::uint32_t block,
                                    std::uint32_t wave) {
  return std::uint64_t{2} << 60 | std::uint64_t(rank) << 56 |
         std::uint64_t(launch & 0xffffff) << 32 | std::uint64_t(block & 0xffffff) << 8 |
         (wave & 0xff);
}

}  // namespace rankle::sim
