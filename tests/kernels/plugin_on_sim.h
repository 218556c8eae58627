// Runs a target plugin on the simulator without the harness's programs and checks: for tests of the
// kernels alone. Ranks stand for processes.
#pragma once

#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "harness/runner/rank_group.h"
#include "harness/target.h"
#include "sim/machine.h"

namespace rankle {

// One private copy of a plugin per rank, as the harness loads them.
inline std::vector<const Target*> load(const std::string& plugin) {
  static int copies = 0;
  std::vector<const Target*> ranks;
  for (int rank = 0; rank < kWorldMax; ++rank) {
    const std::filesystem::path copy =
        std::filesystem::path(testing::TempDir()) / fmt::format("kernel_{}.so", copies++);
    const std::filesystem::path original = std::filesystem::path(RANKLE_PLUGINS) / (plugin + ".so");
    std::filesystem::copy_file(original, copy, std::filesystem::copy_options::overwrite_existing);
    void* handle = dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(handle, nullptr) << dlerror();
    if (handle == nullptr) return {};
    ranks.push_back(reinterpret_cast<const Target* (*)()>(dlsym(handle, "rankle_target"))());
  }
  return ranks;
}

struct Series {
  int world = 2;
  DType dtype = DType::fp32;
  Accum accum = Accum::fp32;
  std::size_t element_bytes = 4;
  std::int64_t count = 0;
  int threads = 64;
  int blocks = 0;
  bool in_place = false;
  bool shifted = false;  // buffers begin one to three elements behind a boundary, by rank
  bool staged = false;   // calls go through the staging memory, and nothing is registered
  int rounds = 3;
  sim::Config config{};

  // Of a round's output of a rank in Result::outputs.
  std::size_t index_of(int round, int rank) const {
    return std::size_t(round) * std::size_t(world) + std::size_t(rank);
  }
};

using Bytes = std::vector<std::uint8_t>;
// inputs(rank, round), `count` elements as bytes.
using InputBytes = std::function<Bytes(int, int)>;

struct Result {
  std::vector<Bytes> outputs;  // of round * world + rank
  std::vector<std::string> variants;
  std::vector<sim::Report> reports;
};

// What one rank has allocated.
struct RankMemory {
  void* input_base = nullptr;
  void* output_base = nullptr;
  void* input = nullptr;
  void* output = nullptr;
  hipStream_t stream = nullptr;
  kernels::Communicator* communicator = nullptr;
};

// Allocates `bytes`, at a boundary or shifted off it.
inline void allocate(const Series& run, int rank, std::size_t bytes, void*& base, void*& pointer) {
  ASSERT_EQ(hipMalloc(&base, bytes + 64), hipSuccess);
  const std::size_t shift = run.shifted ? (1 + std::size_t(rank) % 3) * run.element_bytes : 0;
  pointer = static_cast<std::byte*>(base) + shift;
}

inline void set_up(const Series& run, const Target& target, kernels::RankGroup& group,
                   RankMemory& memory) {
  const auto bytes = static_cast<std::size_t>(run.count) * run.element_bytes;
  allocate(run, group.rank(), bytes, memory.input_base, memory.input);
  allocate(run, group.rank(), bytes, memory.output_base, memory.output);
  if (run.in_place) memory.output = memory.input;
  ASSERT_EQ(hipStreamCreateWithFlags(&memory.stream, hipStreamNonBlocking), hipSuccess);
  kernels::Capacity capacity;
  capacity.scratch_bytes = target.scratch_bytes(run.world, static_cast<std::int64_t>(bytes));
  if (run.staged) capacity.staging_bytes = static_cast<std::int64_t>(bytes);
  const CommunicatorCalls& calls = *target.communicator;
  ASSERT_EQ(calls.create(group, capacity, memory.communicator), hipSuccess);
  if (run.staged) return;
  std::vector<kernels::BufferRange> own{{memory.input, bytes}};
  if (!run.in_place) own.push_back({memory.output, bytes});
  ASSERT_EQ(calls.register_buffers(*memory.communicator, own), hipSuccess);
}

inline void tear_down(const Target& target, RankMemory& memory) {
  const auto worked = [](hipError_t error) {
    EXPECT_TRUE(error == hipSuccess || sim::stopped()) << hipGetErrorName(error);
  };
  worked(target.communicator->destroy(memory.communicator));
  worked(hipFree(memory.input_base));
  worked(hipFree(memory.output_base));
  worked(hipStreamDestroy(memory.stream));
}

inline Call call_of(const Series& run, int rank, const RankMemory& memory) {
  Call call{.rank = rank, .world = run.world, .dtype = run.dtype, .count = run.count};
  call.accum = run.accum;
  call.blocks = run.blocks;
  call.threads = run.threads;
  call.input = memory.input;
  call.output = memory.output;
  call.communicator = memory.communicator;
  call.stream = memory.stream;
  return call;
}

// Everything of a rank is enqueued at once: only the kernels' own barriers keep ranks in step. The
// scratch is overwritten right behind each call, and the staging memory too. Calls fail once a
// report has stopped the run.
inline void all_rounds(const Series& run, const Target& target, int rank, const RankMemory& memory,
                       const std::vector<Bytes>& sent, Result& result) {
  const Call call = call_of(run, rank, memory);
  const auto worked = [](hipError_t error) {
    EXPECT_TRUE(error == hipSuccess || sim::stopped()) << hipGetErrorName(error);
    return error == hipSuccess;
  };
  const auto overwrite = [&](const kernels::BufferRange& range) {
    return worked(hipMemsetAsync(range.begin, 0xfb, range.bytes, memory.stream));
  };
  for (int round = 0; round < run.rounds; ++round) {
    Launched launched;
    Bytes& output = result.outputs[run.index_of(round, rank)];
    output.resize(sent[round].size());
    const bool enqueued = worked(hipMemcpyAsync(memory.input, sent[round].data(), output.size(),
                                                hipMemcpyHostToDevice, memory.stream)) &&
                          worked(target.launch(call, launched)) &&
                          overwrite(target.communicator->memory(*memory.communicator).scratch) &&
                          overwrite(target.communicator->memory(*memory.communicator).staging) &&
                          worked(hipMemcpyAsync(output.data(), memory.output, output.size(),
                                                hipMemcpyDeviceToHost, memory.stream));
    if (!enqueued) return;
    result.variants[rank] = launched.variant;
    EXPECT_EQ(launched.path, run.staged ? "staged" : "registered");
  }
  worked(hipStreamSynchronize(memory.stream));
}

inline void one_rank(const Series& run, const Target& target, RankBoard& board, int rank,
                     const InputBytes& inputs, Result& result) {
  LocalRankGroup group(board, rank);
  RankMemory memory;
  set_up(run, target, group, memory);
  if (memory.communicator == nullptr) return;
  std::vector<Bytes> sent(static_cast<std::size_t>(run.rounds));
  for (int round = 0; round < run.rounds; ++round) sent[round] = inputs(rank, round);
  all_rounds(run, target, rank, memory, sent, result);
  tear_down(target, memory);
}

inline Result run_on_sim(const Series& run, const std::vector<const Target*>& targets,
                         const InputBytes& inputs) {
  Result result;
  result.outputs.resize(run.index_of(run.rounds, 0));
  result.variants.resize(static_cast<std::size_t>(run.world));
  RankBoard board(run.world);
  sim::Config config = run.config;
  config.devices = run.world;
  config.separate_address_spaces = true;
  const auto done = sim::run(
      config, [&](int rank) { one_rank(run, *targets[rank], board, rank, inputs, result); });
  result.reports = done.reports;
  return result;
}

}  // namespace rankle
