// Runs a target plugin on the simulator without the harness: for tests of the kernels alone.
#pragma once

#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

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
  int rounds = 3;
  sim::Config config{};
};

using Bytes = std::vector<std::uint8_t>;
// inputs(rank, round), `count` elements as bytes.
using InputBytes = std::function<Bytes(int, int)>;

struct Result {
  std::vector<Bytes> outputs;  // of round * world + rank
  std::vector<std::string> variants;
  std::vector<sim::Report> reports;
};

// Device memory of all ranks; every rank may use every pointer.
struct Memory {
  std::array<void*, kWorldMax> input{}, output{}, signals{}, scratch{};
};

// Allocates `bytes`, at a boundary or shifted off it.
inline bool allocate(const Series& run, int rank, std::size_t bytes, void*& pointer) {
  if (hipMalloc(&pointer, bytes + 64) != hipSuccess) return false;
  const std::size_t shift = run.shifted ? (1 + std::size_t(rank) % 3) * run.element_bytes : 0;
  pointer = static_cast<std::byte*>(pointer) + shift;
  return true;
}

inline void one_rank(const Series& run, const Target& target, int rank, Memory& memory,
                     const InputBytes& inputs, Result& result) {
  const auto bytes = static_cast<std::size_t>(run.count) * run.element_bytes;
  const WorkspaceSize size = target.workspace(run.world, static_cast<std::int64_t>(bytes));
  for (int peer = 0; peer < run.world; ++peer) {
    if (peer != rank) ASSERT_EQ(hipDeviceEnablePeerAccess(peer, 0), hipSuccess);
  }
  ASSERT_TRUE(allocate(run, rank, bytes, memory.input[rank]));
  ASSERT_TRUE(allocate(run, rank, bytes, memory.output[rank]));
  ASSERT_EQ(hipMalloc(&memory.signals[rank], size.signal_bytes), hipSuccess);
  ASSERT_EQ(hipMalloc(&memory.scratch[rank], size.scratch_bytes + 16), hipSuccess);
  ASSERT_EQ(hipMemset(memory.signals[rank], 0, size.signal_bytes), hipSuccess);
  hipStream_t stream = nullptr;
  ASSERT_EQ(hipStreamCreate(&stream), hipSuccess);
  if (!sim::host_barrier()) return;

  Call call{.rank = rank, .world = run.world, .dtype = run.dtype, .count = run.count};
  call.accum = run.accum;
  call.blocks = run.blocks;
  call.threads = run.threads;
  call.peer_signals = memory.signals;
  call.peer_scratch = memory.scratch;
  for (int peer = 0; peer < run.world; ++peer) call.peer_inputs[peer] = memory.input[peer];
  call.peer_outputs = run.in_place ? memory.input : memory.output;
  call.input = memory.input[rank];
  call.output = run.in_place ? memory.input[rank] : memory.output[rank];
  call.stream = stream;
  // Everything of a rank is enqueued at once: only the kernels' own barriers keep ranks in step.
  // The scratch is overwritten right behind each call. Calls fail once a report has stopped the
  // run.
  std::vector<Bytes> sent;
  for (int round = 0; round < run.rounds; ++round) sent.push_back(inputs(rank, round));
  const auto worked = [](hipError_t error) {
    EXPECT_TRUE(error == hipSuccess || sim::stopped()) << hipGetErrorName(error);
    return error == hipSuccess;
  };
  for (int round = 0; round < run.rounds; ++round) {
    Launched launched;
    Bytes& output = result.outputs[static_cast<std::size_t>(round * run.world + rank)];
    output.resize(bytes);
    const bool enqueued =
        worked(hipMemcpyAsync(memory.input[rank], sent[round].data(), bytes, hipMemcpyHostToDevice,
                              stream)) &&
        worked(target.launch(call, launched)) &&
        worked(hipMemsetAsync(memory.scratch[rank], 0xfb, size.scratch_bytes, stream)) &&
        worked(hipMemcpyAsync(output.data(), call.output, bytes, hipMemcpyDeviceToHost, stream));
    if (!enqueued) return;
    result.variants[rank] = launched.variant;
  }
  if (worked(hipStreamSynchronize(stream))) sim::host_barrier();
}

inline Result run_on_sim(const Series& run, const std::vector<const Target*>& targets,
                         const InputBytes& inputs) {
  Result result;
  result.outputs.resize(static_cast<std::size_t>(run.rounds * run.world));
  result.variants.resize(static_cast<std::size_t>(run.world));
  Memory memory;
  sim::Config config = run.config;
  config.devices = run.world;
  config.check_leaks = false;  // nothing is freed here
  const auto done = sim::run(
      config, [&](int rank) { one_rank(run, *targets[rank], rank, memory, inputs, result); });
  result.reports = done.reports;
  return result;
}

}  // namespace rankle
