// What ranks need from each other besides the collective under test: a barrier and an exchange of
// bytes. Ranks are fibers of one process today; threads or processes implement the same three
// calls. Every call is collective: all ranks make it, in the same order.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

namespace rankle {

class RankGroup {
 public:
  virtual ~RankGroup() = default;

  virtual int rank() const = 0;
  virtual int world() const = 0;

  // False, here and below: the run was stopped and the caller must leave.
  virtual bool barrier() = 0;

  // Every rank gives `mine`; `all` receives them in rank order and is world() times as long.
  virtual bool all_gather(std::span<const std::byte> mine, std::span<std::byte> all) = 0;

  // `data` of the root replaces that of the others; all have the same size.
  virtual bool broadcast(int root, std::span<std::byte> data) = 0;

  // all_gather of one plain value per rank; `all` has world() entries.
  template <class T>
  bool all_gather_value(const T& mine, std::span<T> all) {
    static_assert(std::is_trivially_copyable_v<T>);
    return all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(all));
  }
};

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

// Ranks as fibers of one OS thread (device_hooks::host_barrier).
class FiberRankGroup final : public RankGroup {
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
