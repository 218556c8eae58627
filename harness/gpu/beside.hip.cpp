// See beside.h.
#include "harness/gpu/beside.h"

#include <cstddef>

namespace rankle::gpu {
namespace {

constexpr std::size_t kTrafficBytes = std::size_t{64} << 20;  // more than any cache holds
constexpr int kThreads = 256;
// Of the constant clock at 100 MHz: 300 us, many times a small collective.
constexpr long long kTicks = 30'000;

__global__ void __launch_bounds__(kThreads) copy_for_a_while(uint4* memory, std::size_t half) {
  const long long begin = wall_clock64();
  const std::size_t step = std::size_t(gridDim.x) * blockDim.x;
  std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  while (wall_clock64() - begin < kTicks) {
    for (int n = 0; n < 64; ++n, i = (i + step) % half) memory[half + i] = memory[i];
  }
}

__global__ void __launch_bounds__(kThreads) hold_for_a_while() {
  const long long begin = wall_clock64();
  while (wall_clock64() - begin < kTicks) {
  }
}

// Kept for later cases.
uint4* traffic_memory() {
  static uint4* const memory = [] {
    void* made = nullptr;
    return hipMalloc(&made, kTrafficBytes) == hipSuccess ? static_cast<uint4*>(made) : nullptr;
  }();
  return memory;
}

struct Streams {
  hipStream_t traffic = nullptr;
  hipStream_t occupier = nullptr;
};

const Streams& streams() {
  static const Streams made = [] {
    Streams both;
    static_cast<void>(hipStreamCreateWithFlags(&both.traffic, hipStreamNonBlocking));
    static_cast<void>(hipStreamCreateWithFlags(&both.occupier, hipStreamNonBlocking));
    return both;
  }();
  return made;
}

}  // namespace

Beside::Beside(int traffic_blocks, int occupier_blocks) {
  if (traffic_blocks + occupier_blocks == 0) return;
  thread_ = std::thread([=, this] { run(traffic_blocks, occupier_blocks); });
}

Beside::~Beside() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
}

void Beside::abandon() {
  stop_ = true;
  if (thread_.joinable()) thread_.detach();
}

// What goes wrong here shows in the next call of whoever comes.
void Beside::run(int traffic_blocks, int occupier_blocks) {
  static_cast<void>(hipSetDevice(0));
  const Streams& own = streams();
  uint4* memory = traffic_blocks > 0 ? traffic_memory() : nullptr;
  while (!stop_) {
    if (memory != nullptr) {
      hipLaunchKernelGGL(copy_for_a_while, dim3(traffic_blocks), dim3(kThreads), 0, own.traffic,
                         memory, kTrafficBytes / sizeof(uint4) / 2);
    }
    if (occupier_blocks > 0) {
      hipLaunchKernelGGL(hold_for_a_while, dim3(occupier_blocks), dim3(kThreads), 0, own.occupier);
    }
    if (hipStreamSynchronize(own.traffic) != hipSuccess ||
        hipStreamSynchronize(own.occupier) != hipSuccess) {
      return;
    }
  }
}

}  // namespace rankle::gpu
