// Ranks as fibers of one OS thread: how they meet (kernels/communicator/rank_group.h).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kernels/communicator/rank_group.h"

namespace rankle {

// One table per run, shared by its ranks.
class FiberBoard {
 public:
  explicit FiberBoard(int world) : world_(world) {}
  int world() const { return world_; }

 private:
  friend class FiberRankGroup;
  int world_;
  std::vector<std::byte> bytes_;
};

// Waits by device_hooks::host_barrier. A call returns false once the run was stopped.
class FiberRankGroup final : public kernels::RankGroup {
 public:
  FiberRankGroup(FiberBoard& board, int rank) : board_(board), rank_(rank) {}

  int rank() const override { return rank_; }
  int world() const override { return board_.world(); }
  bool barrier() override;
  bool all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override;
  bool broadcast(int root, std::span<std::byte> data) override;

 private:
  FiberBoard& board_;
  int rank_;
};

}  // namespace rankle
