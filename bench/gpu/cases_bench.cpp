// rankle-device-cases: how many cases a second one persistent worker runs on a real device. Draws
// cases of the two smallest size classes for every clean target and runs them in this process, as a
// worker does. One JSON object on stdout; exit 0, 1 if a case fails, 3 without a device.
//
//   rankle-device-cases TARGET_DIR CASES WORLD [SEED]
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "generators/case_json.h"
#include "generators/generate.h"
#include "harness/gpu/devices.h"
#include "harness/runner/in_process_executor.h"
#include "harness/worker_platform.h"

namespace {

using namespace rankle;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr, "usage: rankle-device-cases TARGET_DIR CASES WORLD [SEED]\n");
    return 2;
  }
  worker_platform::prepare(argv);
  InProcessExecutor executor({argv[1]});
  if (const std::string why = worker_platform::why_unavailable(); !why.empty()) {
    fmt::print(stderr, "{}\n", why);
    return 3;
  }
  std::vector<Contract> clean;
  for (const Contract& contract : executor.contracts()) {
    if (!contract.is_mutant()) clean.push_back(contract);
  }
  Draw draw;
  draw.worlds = {std::atoi(argv[3])};
  draw.size_max = SizeClass::small;
  draw.programs = Programs::none;
  const std::uint64_t seed = argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 1;
  const std::uint64_t cases = std::strtoull(argv[2], nullptr, 10);
  // Every target is loaded, and every kernel has run once, before the time counts.
  const auto run = [&](std::uint64_t index) {
    const Case c = draw_case(clean, draw, seed, index);
    const Verdict verdict = executor.run(c, RunOptions{});
    if (verdict.outcome == Outcome::pass) return;
    fmt::print(stderr, "case {} did not pass: {}\n", index, verdict.error);
    for (const Finding& finding : verdict.findings) {
      fmt::print(stderr, "{}: {}\n", name_of(finding.kind), finding.message);
      for (const std::string& detail : finding.details) fmt::print(stderr, "  {}\n", detail);
    }
    fmt::print(stderr, "{}", case_to_text(c));
    std::fflush(nullptr);
    std::_Exit(1);
  };
  constexpr std::uint64_t kWarmUp = 200;
  for (std::uint64_t i = 0; i < kWarmUp; ++i) run(i);
  const auto begin = Clock::now();
  for (std::uint64_t i = kWarmUp; i < kWarmUp + cases; ++i) run(i);
  const double seconds = seconds_since(begin);
  const nlohmann::json result = {{"device", gpu::device_names().front()},
                                 {"world", draw.worlds.front()},
                                 {"cases", cases},
                                 {"seconds", seconds},
                                 {"cases_per_s", double(cases) / seconds}};
  fmt::print("{}\n", result.dump(2));
  std::fflush(nullptr);
  std::_Exit(0);  // as a worker ends: what targets left behind is not torn down
}
