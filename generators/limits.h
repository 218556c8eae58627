// The caps that hold for every case, whatever its target's contract says. They bound what a repro
// file from a stranger, or a mutated corpus file, can make a worker allocate or run.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rankle {

// Bytes of a pack, the unit in which kernels load and store.
inline constexpr std::int64_t kPackBytes = 16;

// Buffers start at a multiple of this, plus the offset that a case names.
inline constexpr std::int64_t kBufferAlignmentBytes = 256;

// Input, output and one payload of scratch per rank, over all ranks.
inline constexpr std::int64_t kTotalBytesMax = std::int64_t{3} << 30;

// world * blocks * threads of one call: 8 ranks, 80 blocks, 512 threads.
inline constexpr std::int64_t kThreadsAtOnceMax = 8 * 80 * 512;

inline constexpr std::int64_t kOffsetElementsMax = 4096;
inline constexpr std::size_t kShapeDimensionsMax = 8;
inline constexpr std::size_t kProgramStepsMax = 256;
inline constexpr int kBuffersMax = 4;  // pairs of input and output on each rank
inline constexpr int kGraphsMax = 4;
inline constexpr int kGraphCallsMax = 8;  // each takes a slot or two of a communicator's 128
inline constexpr int kReplayTimesMax = 64;
inline constexpr int kStreamsMax = 2;
inline constexpr std::size_t kCallShapesMax = 4;
inline constexpr std::int64_t kDelayNanosecondsMax = 1'000'000;
inline constexpr int kBesideBlocksMax = 64;  // of a kernel that perturbs a run
inline constexpr std::int64_t kEpochMax = (std::int64_t{1} << 32) - 1;
inline constexpr std::size_t kSwitchesMax = 65536;
inline constexpr int kDepthMax = 8;               // of PCT
inline constexpr std::uint64_t kHorizonMin = 16;  // steps
inline constexpr std::uint64_t kHorizonMax = std::uint64_t{1} << 32;
inline constexpr int kRoundMax = 255;
inline constexpr int kRanksMax = 64;  // length of per-rank vectors in a file, before the contract
inline constexpr std::size_t kNameLengthMax = 256;
inline constexpr std::size_t kCaseTextBytesMax = std::size_t{8} << 20;

}  // namespace rankle
