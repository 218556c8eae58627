// What an access costs the race detector, in the pattern of a two-stage all-reduce in bf16: packs
// of 16 bytes, tiles in shared memory, barriers, hand-offs between devices. Prints the rate; the
// bound that is asserted is far below it, so that a loaded machine does not fail.
#include <gtest/gtest.h>

#include <ctime>
#include <iostream>
#include <vector>

#include <fmt/format.h>

#include "sim/race/detector.h"

namespace rankle::sim::race::testing {
namespace {

constexpr int kWorld = 8;
constexpr std::uint32_t kBlocks = 4;
constexpr std::uint32_t kThreads = 512;
constexpr std::uint32_t kWidth = kThreads / kWorld;  // packs of a tile
constexpr int kTiles = 4;
constexpr std::size_t kPack = 16;
constexpr std::size_t kPart = std::size_t{kBlocks} * kWidth * kTiles * kPack;  // bytes of a rank
constexpr double kAccessesPerSecondMin = 1e6;

std::uintptr_t input_of(int rank) { return region_base(rank) + 0x100000; }
std::uintptr_t scratch_of(int rank) { return region_base(rank) + 0x1000000; }
std::uintptr_t output_of(int rank) { return region_base(rank) + 0x2000000; }
std::uintptr_t flag_of(int rank, std::uint32_t block, int writer) {
  return region_base(rank) + 0x1000 + (block * kWorld + static_cast<unsigned>(writer)) * 4;
}
std::uintptr_t count_of(int rank, std::uint32_t block) {
  return region_base(rank) + 0x8000 + block * 4;
}

class TwoStage {
 public:
  explicit TwoStage(RaceDetector& detector) : detector_(detector) {
    detector_.begin_run([this](const RaceReport& report) {
      ++races_;
      if (races_ < 5) {
        std::cout << fmt::format("{} {:#x} {} -> {}\n", name_of(report.kind), report.address,
                                 report.earlier.pc, report.later.pc);
      }
    });
    for (int rank = 0; rank < kWorld; ++rank) chains_.push_back(detector_.new_chain());
  }

  // One call on every rank: fill the input, then the kernel.
  void round() {
    std::vector<Op*> ops;
    std::vector<std::vector<Block*>> blocks(kWorld);
    for (int rank = 0; rank < kWorld; ++rank) {
      Op* const fill = detector_.op_begin({chains_[rank], rank, rank, 0}, {});
      detector_.write(detector_.op_actor(fill), input_of(rank), kPart * kWorld, 1);
      accesses_ += kPart * kWorld / kPack;
      detector_.op_ended(fill);
      ops.push_back(detector_.op_begin({chains_[rank], rank, rank, 0}, {}));
      for (std::uint32_t b = 0; b < kBlocks; ++b) {
        blocks[rank].push_back(detector_.block_started(ops.back(), b, kThreads, 64));
      }
    }
    meet(blocks, false);
    for (int rank = 0; rank < kWorld; ++rank) {
      for (std::uint32_t b = 0; b < kBlocks; ++b) reduce(blocks[rank][b], rank, b);
    }
    meet(blocks, true);
    for (int rank = 0; rank < kWorld; ++rank) {
      for (std::uint32_t b = 0; b < kBlocks; ++b) gather(blocks[rank][b], rank, b);
    }
    meet(blocks, true);
    for (int rank = 0; rank < kWorld; ++rank) {
      for (std::uint32_t b = 0; b < kBlocks; ++b) {
        detector_.block_ended(blocks[rank][b]);
        detector_.reset(shared_of(rank, b), kThreads * kPack);
      }
      detector_.op_ended(ops[rank]);
    }
  }

  std::uint64_t accesses() const { return accesses_; }
  int races() const { return races_; }

 private:
  static std::uintptr_t shared_of(int rank, std::uint32_t b) {
    const std::uint32_t slot = b + static_cast<std::uint32_t>(rank) * kBlocks;
    return region_base(kSharedRegion) + 0x10000 * std::uintptr_t{1 + slot};
  }

  void meet(std::vector<std::vector<Block*>>& blocks, bool leads) {
    for (int rank = 0; rank < kWorld; ++rank) {
      for (std::uint32_t b = 0; b < kBlocks; ++b) {
        Block* const block = blocks[rank][b];
        if (leads) detector_.barrier(block);
        for (std::uint32_t t = 0; t < kThreads; ++t) {
          detector_.read(detector_.thread(block, t), count_of(rank, b), 4, 11);
        }
        for (int peer = 0; peer < kWorld; ++peer) {
          detector_.atomic_store(detector_.thread(block, static_cast<std::uint32_t>(peer)),
                                 flag_of(peer, b, rank), 4, Order::release, Scope::system, 12);
        }
        accesses_ += kThreads + kWorld;
      }
    }
    for (int rank = 0; rank < kWorld; ++rank) {
      for (std::uint32_t b = 0; b < kBlocks; ++b) {
        Block* const block = blocks[rank][b];
        for (int peer = 0; peer < kWorld; ++peer) {
          detector_.atomic_load(detector_.thread(block, static_cast<std::uint32_t>(peer)),
                                flag_of(rank, b, peer), 4, Order::acquire, Scope::system, 13);
        }
        detector_.barrier(block);
        detector_.write(detector_.thread(block, 0), count_of(rank, b), 4, 14);
        accesses_ += kWorld + 1;
      }
    }
  }

  static std::size_t pack_of(std::size_t b, int tile, std::uint32_t lane) {
    return ((static_cast<std::size_t>(tile) * kBlocks + b) * kWidth + lane) * kPack;
  }

  void reduce(Block* block, int rank, std::uint32_t b) {
    const std::uintptr_t shared = shared_of(rank, b);
    for (int tile = 0; tile < kTiles; ++tile) {
      for (std::uint32_t t = 0; t < kThreads; ++t) {
        Thread* const thread = detector_.thread(block, t);
        const std::uintptr_t from = input_of(static_cast<int>(t / kWidth)) +
                                    static_cast<unsigned>(rank) * kPart +
                                    pack_of(b, tile, t % kWidth);
        detector_.read(thread, from, kPack, 21);
        detector_.write(thread, shared + t * kPack, kPack, 22);
      }
      detector_.barrier(block);
      for (std::uint32_t t = 0; t < kWidth; ++t) {
        Thread* const thread = detector_.thread(block, t);
        for (std::uint32_t g = 0; g < kWorld; ++g) {
          detector_.read(thread, shared + (g * kWidth + t) * kPack, kPack, 23);
        }
        detector_.write(thread, scratch_of(rank) + pack_of(b, tile, t), kPack, 24);
      }
      detector_.barrier(block);
      accesses_ += 2 * kThreads + kWidth * (kWorld + 1);
    }
  }

  void gather(Block* block, int rank, std::uint32_t b) {
    for (int tile = 0; tile < kTiles; ++tile) {
      for (std::uint32_t t = 0; t < kThreads; ++t) {
        Thread* const thread = detector_.thread(block, t);
        const int peer = static_cast<int>(t / kWidth);
        const std::size_t pack = pack_of(b, tile, t % kWidth);
        detector_.read(thread, scratch_of(peer) + pack, kPack, 31);
        detector_.write(thread, output_of(rank) + static_cast<unsigned>(peer) * kPart + pack, kPack,
                        32);
      }
      accesses_ += 2 * kThreads;
    }
  }

  RaceDetector& detector_;
  std::vector<std::uint32_t> chains_;
  std::uint64_t accesses_ = 0;
  int races_ = 0;
};

TEST(RaceSpeed, TheTwoStagePatternIsCleanAndChecksMillionsOfAccessesPerSecond) {
  RaceDetector detector;
  TwoStage kernel(detector);
  kernel.round();  // first touch
  const std::uint64_t before = kernel.accesses();
  const std::clock_t start = std::clock();
  for (int i = 0; i < 20; ++i) kernel.round();
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  const double rate = static_cast<double>(kernel.accesses() - before) / seconds;
  std::cout << fmt::format("{:.1f} M accesses per second of one core ({:.1f} ns each)\n",
                           rate / 1e6, 1e9 / rate);
  EXPECT_EQ(kernel.races(), 0);
  EXPECT_GT(rate, kAccessesPerSecondMin);
}

}  // namespace
}  // namespace rankle::sim::race::testing
