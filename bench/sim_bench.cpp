// The simulator alone: what a simulated thread and a barrier cost.
#include <benchmark/benchmark.h>

#include "bench/bench_kernels.h"
#include "sim/machine.h"

namespace rankle::bench {
namespace {

// 80 blocks of 512 threads that store once: seconds per simulated thread, the launch included.
void launch_threads(benchmark::State& state) {
  constexpr int kBlocks = 80;
  constexpr int kThreads = 512;
  std::uint64_t threads = 0;
  for (auto _ : state) {
    const sim::Result r = sim::run({}, [&](int) {
      std::uint32_t* out = nullptr;
      if (hipMalloc(&out, sizeof(*out) * kBlocks * kThreads) != hipSuccess) return;
      for (int i = 0; i < 4; ++i) launch_store_once(kBlocks, kThreads, out);
      static_cast<void>(hipDeviceSynchronize());
      static_cast<void>(hipFree(out));
    });
    threads += r.stats.threads;
    if (!r.reports.empty()) state.SkipWithError(r.reports[0].message.c_str());
  }
  state.counters["s/thread"] = benchmark::Counter(
      static_cast<double>(threads), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(launch_threads)->Unit(benchmark::kMillisecond);

// 512 threads of one block at 100 barriers: seconds per thread and barrier.
void block_barriers(benchmark::State& state) {
  std::uint64_t passed = 0;
  for (auto _ : state) {
    const sim::Result r = sim::run({}, [&](int) {
      launch_barriers(1, 512, 100);
      static_cast<void>(hipDeviceSynchronize());
    });
    passed += r.stats.barriers * 512;
  }
  state.counters["s/arrival"] = benchmark::Counter(
      static_cast<double>(passed), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(block_barriers)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace rankle::bench
