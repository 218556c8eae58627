// One rank of a test of the communicator: a communicator, a stream, and memory that is freed at the
// end.
#pragma once

#include <gtest/gtest.h>
#include <hip/hip_runtime.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "kernels/communicator/communicator.h"
#include "tests/kernels/communicator_kernels.h"
#include "tests/kernels/ranks_on_sim.h"

namespace rankle::testing {

using Ints = std::vector<std::int32_t>;

// Leaves nothing behind, if finish() is called on every rank.
class Rank {
 public:
  Rank(kernels::RankGroup& group, const kernels::Capacity& capacity) : group_(group) {
    EXPECT_EQ(hipStreamCreateWithFlags(&stream_, hipStreamNonBlocking), hipSuccess);
    EXPECT_EQ(kernels::Communicator::create(group, capacity, communicator_), hipSuccess);
  }

  // Not once the simulator has stopped the run.
  bool is_made() const { return communicator_ != nullptr; }
  kernels::Communicator& communicator() { return *communicator_; }
  int rank() const { return group_.rank(); }
  hipStream_t stream() const { return stream_; }

  // `count` elements, of which element i is base + i.
  std::int32_t* filled(std::size_t count, std::int32_t base) {
    Ints values(count);
    std::iota(values.begin(), values.end(), base);
    std::int32_t* const memory = allocate(count);
    EXPECT_EQ(hipMemcpy(memory, values.data(), count * 4, hipMemcpyHostToDevice), hipSuccess);
    return memory;
  }
  std::int32_t* allocate(std::size_t count) {
    std::int32_t* memory = nullptr;
    EXPECT_EQ(hipMalloc(&memory, count * 4), hipSuccess);
    allocated_.push_back(memory);
    return memory;
  }

  hipError_t share(std::int32_t* begin, std::size_t count) {
    const kernels::BufferRange range{begin, count * 4};
    return communicator_->register_buffers({&range, 1});
  }

  kernels::CallRequest request(const std::int32_t* input, std::int32_t* output,
                               std::size_t count) const {
    return {.input = input,
            .output = output,
            .bytes = static_cast<std::int64_t>(count * 4),
            .stream = stream_};
  }

  // Enqueues a sum; `path` is what the communicator has to choose.
  hipError_t sum(const kernels::CallRequest& request, kernels::Path path) {
    const kernels::Route route = communicator_->route(request);
    EXPECT_EQ(name_of(route.path), name_of(path));
    return communicator_->run(request, route, [&](const kernels::CallBuffers& buffers) {
      return launch_sum(*communicator_, buffers, request.bytes / 4, request.stream);
    });
  }

  // What is there once the stream has ended.
  Ints read(const std::int32_t* memory, std::size_t count) const {
    EXPECT_EQ(hipStreamSynchronize(stream_), hipSuccess);
    Ints values(count);
    EXPECT_EQ(hipMemcpy(values.data(), memory, count * 4, hipMemcpyDeviceToHost), hipSuccess);
    return values;
  }

  void finish() {
    EXPECT_EQ(communicator_->destroy(), hipSuccess);
    for (std::int32_t* const memory : allocated_) EXPECT_EQ(hipFree(memory), hipSuccess);
    EXPECT_EQ(hipStreamDestroy(stream_), hipSuccess);
  }

 private:
  kernels::RankGroup& group_;
  std::unique_ptr<kernels::Communicator> communicator_;
  hipStream_t stream_ = nullptr;
  std::vector<std::int32_t*> allocated_;
};

// Runs `body(Rank&)` on each rank and finishes it; what the simulator has reported, a line each.
template <typename Body>
std::string run_ranks(int world, const kernels::Capacity& capacity, Body body) {
  const sim::Result result = on_ranks(world, [&](kernels::RankGroup& group) {
    Rank rank(group, capacity);
    if (!rank.is_made()) return;
    body(rank);
    rank.finish();
  });
  std::string reports;
  for (const sim::Report& report : result.reports) reports += report.message + "\n";
  return reports;
}

// Element i of the sum over ranks whose inputs begin at 100 * (rank + 1).
inline Ints sums(int world, std::size_t count) {
  Ints expected(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (int rank = 0; rank < world; ++rank) {
      expected[i] += 100 * (rank + 1) + static_cast<std::int32_t>(i);
    }
  }
  return expected;
}

}  // namespace rankle::testing
