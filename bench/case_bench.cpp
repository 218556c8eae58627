// Whole cases on the simulator: checked accesses per second on the bf16 two-stage all-reduce, and
// cases per second for the default mix and for a mix with a median of about 1,024 simulated
// threads.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "generators/generate.h"
#include "generators/limits.h"
#include "harness/runner/in_process_executor.h"

namespace rankle::bench {
namespace {

InProcessExecutor& executor() {
  static InProcessExecutor instance(
      {std::filesystem::read_symlink("/proc/self/exe").parent_path() / "targets"});
  return instance;
}

Case two_stage(int world, std::int64_t count) {
  Case c;
  c.target = "allreduce/two_stage_tail";
  c.world = world;
  c.dtype = DType::bf16;
  c.accum = Accum::fp32;
  c.shape = {count};
  c.geometry = {8, 512, 64};
  c.input_offset.assign(static_cast<std::size_t>(world), 0);
  c.output_offset.assign(static_cast<std::size_t>(world), 0);
  c.program = {{StepKind::fill, 0}, {StepKind::poison_output, 0}};
  c.program.insert(c.program.end(), 8, Step{StepKind::call, 0});
  c.program.push_back({StepKind::check, 0});
  return c;
}

// The run's own time over its checked accesses, the harness's fill and check of one round in eight
// calls included.
void checked_accesses(benchmark::State& state) {
  const Case c = two_stage(static_cast<int>(state.range(0)), 1 << 20);
  std::uint64_t accesses = 0;
  executor().run(c, {});  // loads the target and touches the memory
  for (auto _ : state) {
    const Verdict v = executor().run(c, {});
    if (v.outcome != Outcome::pass) state.SkipWithError("the case does not pass");
    accesses += v.stats.accesses;
  }
  state.counters["accesses/s"] =
      benchmark::Counter(static_cast<double>(accesses), benchmark::Counter::kIsRate);
}
BENCHMARK(checked_accesses)->Arg(4)->Arg(8)->Unit(benchmark::kMillisecond);

void run_mix(benchmark::State& state, const Draw& draw) {
  std::vector<Contract> contracts;
  for (const Contract& contract : executor().contracts()) {
    if (!contract.is_mutant()) contracts.push_back(contract);
  }
  std::vector<std::uint64_t> threads;
  std::vector<std::int64_t> bytes;
  std::uint64_t total_threads = 0;
  std::uint64_t total_steps = 0;
  std::uint64_t index = 0;
  for (auto _ : state) {
    const Case c = draw_case(contracts, draw, 1, index++);
    const Verdict v = executor().run(c, {});
    if (v.outcome != Outcome::pass) state.SkipWithError("a case does not pass");
    threads.push_back(v.stats.threads);
    total_threads += v.stats.threads;
    total_steps += v.stats.steps;
    bytes.push_back(c.bytes());
  }
  const auto median = [](auto& values) {
    std::nth_element(values.begin(),
                     values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return static_cast<double>(values[values.size() / 2]);
  };
  state.counters["cases/s"] =
      benchmark::Counter(static_cast<double>(threads.size()), benchmark::Counter::kIsRate);
  state.counters["median_threads"] = median(threads);
  state.counters["median_bytes"] = median(bytes);
  state.counters["mean_threads"] =
      benchmark::Counter(static_cast<double>(total_threads), benchmark::Counter::kAvgIterations);
  state.counters["mean_steps"] =
      benchmark::Counter(static_cast<double>(total_steps), benchmark::Counter::kAvgIterations);
}

void cases_default_mix(benchmark::State& state) { run_mix(state, {}); }
BENCHMARK(cases_default_mix)->Iterations(1010)->Unit(benchmark::kMillisecond);

void cases_tiny_mix(benchmark::State& state) {
  Draw draw;
  draw.size_max = SizeClass::tiny;
  run_mix(state, draw);
}
BENCHMARK(cases_tiny_mix)->Iterations(1010)->Unit(benchmark::kMillisecond);

void cases_small_mix(benchmark::State& state) {
  Draw draw;
  draw.size_max = SizeClass::small;
  run_mix(state, draw);
}
BENCHMARK(cases_small_mix)->Iterations(1010)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace rankle::bench
