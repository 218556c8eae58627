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

// Benchmarks come in two forms: with every detector, and without the race detector, which costs the
// most.
RunOptions options_of(bool races) {
  RunOptions options;
  options.detect_races = races;
  return options;
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
void run_two_stage(benchmark::State& state, const Case& c, bool races) {
  std::uint64_t accesses = 0;
  executor().run(c, options_of(races));  // loads the target and touches the memory
  for (auto _ : state) {
    const Verdict v = executor().run(c, options_of(races));
    if (v.outcome != Outcome::pass) state.SkipWithError("the case does not pass");
    accesses += v.stats.accesses;
  }
  state.counters["accesses/s"] =
      benchmark::Counter(static_cast<double>(accesses), benchmark::Counter::kIsRate);
}
// Ranks, elements of bf16 per rank.
void checked_accesses(benchmark::State& state, bool races) {
  run_two_stage(state, two_stage(static_cast<int>(state.range(0)), state.range(1)), races);
}
BENCHMARK_CAPTURE(checked_accesses, without_races, false)
    ->Args({2, 1 << 18})
    ->Args({4, 1 << 18})
    ->Args({4, 1 << 20})
    ->Args({8, 1 << 20})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(checked_accesses, everything, true)
    ->Args({2, 1 << 18})
    ->Args({4, 1 << 18})
    ->Args({4, 1 << 20})
    ->Args({8, 1 << 20})
    ->Unit(benchmark::kMillisecond);

// With a switch point at every access.
void fine_accesses(benchmark::State& state) {
  Case c = two_stage(static_cast<int>(state.range(0)), state.range(1));
  c.schedule.granularity = Granularity::access;
  run_two_stage(state, c, true);
}
BENCHMARK(fine_accesses)->Args({4, 1 << 16})->Args({4, 1 << 20})->Unit(benchmark::kMillisecond);

void run_mix(benchmark::State& state, const Draw& draw, bool races) {
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
    const Verdict v = executor().run(c, options_of(races));
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

void cases_default_mix(benchmark::State& state, bool races) { run_mix(state, {}, races); }
BENCHMARK_CAPTURE(cases_default_mix, without_races, false)
    ->Iterations(1010)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(cases_default_mix, everything, true)
    ->Iterations(1010)
    ->Unit(benchmark::kMillisecond);

// Programs of up to 20 steps, on small worlds.
void programs(benchmark::State& state) {
  Draw draw;
  draw.worlds = {2, 3};
  draw.programs = Programs::only;
  run_mix(state, draw, true);
}
BENCHMARK(programs)->Iterations(505)->Unit(benchmark::kMillisecond);

void cases_tiny_mix(benchmark::State& state, bool races) {
  Draw draw;
  draw.size_max = SizeClass::tiny;
  run_mix(state, draw, races);
}
BENCHMARK_CAPTURE(cases_tiny_mix, without_races, false)
    ->Iterations(1010)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(cases_tiny_mix, everything, true)
    ->Iterations(1010)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace rankle::bench
