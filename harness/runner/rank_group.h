// Ranks of one process, fibers or threads: how they meet (kernels/communicator/rank_group.h).
#pragma once

#include <cstddef>
#include <mutex>
#include <span>
#include <vector>

#include "kernels/communicator/rank_group.h"

namespace rankle {

// One table per run, shared by its ranks.
class RankBoard {
 public:
  explicit RankBoard(int world) : world_(world) {}
  int world() const { return world_; }

 private:
  friend class LocalRankGroup;
  int world_;
  std::mutex mutex_;  // of the size; between barriers each rank has a part of the bytes to itself
  std::vector<std::byte> bytes_;
};

// Waits by device_hooks::host_barrier. A call returns false once the run was stopped.
class LocalRankGroup final : public kernels::RankGroup {
 public:
  LocalRankGroup(RankBoard& board, int rank) : board_(board), rank_(rank) {}

  int rank() const override { return rank_; }
  int world() const override { return board_.world(); }
  bool barrier() override;
  bool all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override;
  bool broadcast(int root, std::span<std::byte> data) override;

 private:
  RankBoard& board_;
  int rank_;
};

}  // namespace rankle
