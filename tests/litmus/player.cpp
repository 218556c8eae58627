// Sets the scene on every rank, lets the case play, and reads the reports.
#include "tests/litmus/player.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "tests/litmus/scene.h"
#include "tests/litmus/source_marks.h"

namespace rankle::sim::litmus {
namespace {

// Steps that a case takes, roughly.
constexpr std::uint64_t kHorizon = 400;

void set_scene(Scene& scene) {
  for (int peer = 0; peer < scene.ranks; ++peer) {
    if (peer != scene.rank) EXPECT_EQ(hipDeviceEnablePeerAccess(peer, 0), hipSuccess);
  }
  const auto words = [&](std::size_t count, int value) {
    Word* pointer = nullptr;
    EXPECT_EQ(hipMalloc(&pointer, count * sizeof(Word)), hipSuccess);
    EXPECT_EQ(hipMemsetD32(pointer, value, count), hipSuccess);
    return pointer;
  };
  scene.board.data[scene.rank] = words(kDataWords, kBefore);
  scene.board.flags[scene.rank] = words(kFlags, 0);
  scene.board.out[scene.rank] = words(kDataWords, 0);
  finish(scene);
}

std::string text_of(const Report& report) {
  std::string text = report.message + "\n";
  for (const SourceLine& site : report.sites) {
    text += "  at " + site.function + " " + site.file + ":" + std::to_string(site.line) + "\n";
  }
  for (const std::string& detail : report.details) text += "  " + detail + "\n";
  return text;
}

Found found_of(const Report& report, const std::string& file) {
  // The two accesses come first, then the sides of a flag. A line of another file equals no
  // expectation.
  if (report.sites.size() < 2 || report.sites[0].file != file || report.sites[1].file != file) {
    return {report.kind, 0, 0};
  }
  const auto [lower, upper] = std::minmax(report.sites[0].line, report.sites[1].line);
  return {report.kind, lower, upper};
}

// The two sides of the flag come behind the two accesses.
bool names_flag(const Report& report) {
  const bool is_of_edge =
      report.kind == ReportKind::scope_race || report.kind == ReportKind::relaxed_handoff;
  return report.sites.size() == (is_of_edge ? 4 : 2) && report.roles.size() == report.sites.size();
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Found& found) {
  return out << "kind " << static_cast<int>(found.kind) << ", lines " << found.lower << " and "
             << found.upper;
}

int runs_or(int usual) {
  const char* const text = std::getenv("RANKLE_LITMUS_RUNS");
  if (text == nullptr) return usual;
  const int runs = std::atoi(text);
  EXPECT_GT(runs, 0) << "RANKLE_LITMUS_RUNS='" << text << "': a number of runs, 1 or more";
  return runs;
}

std::set<Found> expected_of(const Litmus& litmus) {
  const std::map<std::string, int> marks = marks_of(litmus.file);
  const auto line_of = [&](const std::string& mark) {
    const auto it = marks.find(mark);
    EXPECT_NE(it, marks.end()) << litmus.name << ": " << litmus.file << " has no mark " << mark;
    return it == marks.end() ? 0 : it->second;
  };
  std::set<Found> expected;
  for (const Finding& finding : litmus.findings) {
    const auto [lower, upper] = std::minmax({line_of(finding.one), line_of(finding.other)});
    expected.insert({finding.kind, lower, upper});
  }
  return expected;
}

Config portfolio(int run) {
  constexpr Policy kPolicies[] = {Policy::run_to_block, Policy::random,    Policy::pct,
                                  Policy::starvation,   Policy::rank_late, Policy::rank_early,
                                  Policy::round_robin};
  constexpr int kCount = static_cast<int>(std::size(kPolicies));
  const int turn = run / kCount;
  Config config;
  config.policy = kPolicies[run % kCount];
  config.granularity = turn % 2 == 0 ? Granularity::sync : Granularity::access;
  config.wave = turn % 4 < 2 ? 64 : 32;
  // These two have no seed: once they have had each granularity and wave, others take their turns.
  const bool is_fixed =
      config.policy == Policy::run_to_block || config.policy == Policy::round_robin;
  if (is_fixed && turn >= 4) config.policy = Policy::random;
  config.seed = static_cast<std::uint64_t>(run);
  config.depth = 1 + turn % 3;
  config.horizon = kHorizon;
  config.relaxed_handoff = Severity::error;
  config.wave_synchronous = Severity::error;
  config.keep_going = true;
  return config;
}

static Outcome play(const Litmus& litmus, Config config, bool checks_values) {
  config.devices = litmus.devices;
  config.resident_blocks = litmus.resident_blocks;
  config.volatile_model = litmus.volatile_model;
  config.check_leaks = false;
  Board board;
  const Result result = run(config, [&](int rank) {
    Scene scene{rank, config.devices, config.wave, checks_values, board};
    set_scene(scene);
    host_barrier();
    litmus.play(scene);
  });
  Outcome outcome;
  for (const Report& report : result.reports) {
    outcome.found.insert(found_of(report, litmus.file));
    outcome.text += text_of(report);
    outcome.names_flags &= names_flag(report);
    outcome.warnings += report.is_warning ? 1 : 0;
  }
  outcome.stopped = result.stopped;
  outcome.unexpected = board.unexpected;
  return outcome;
}

Outcome play(const Litmus& litmus, Config config) {
  return play(litmus, std::move(config), !litmus.is_racy());
}

Outcome play_checking_values(const Litmus& litmus, Config config) {
  return play(litmus, std::move(config), true);
}

}  // namespace rankle::sim::litmus
