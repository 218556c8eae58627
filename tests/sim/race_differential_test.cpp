// The race detector against its reference, on random programs: both must find the same pairs of
// accesses, of the same kinds, and blame the same edges. RANKLE_RACE_PROGRAMS sets how many
// programs, RANKLE_RACE_SEED the first one.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "tests/sim/race_generator.h"
#include "tests/sim/race_players.h"

namespace rankle::sim::race::testing {
namespace {

constexpr std::uint64_t kProgramsInCi = 8000;

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

std::string text_of(const Event& e) {
  constexpr const char* kNames[] = {"host",      "chain",  "op_begin", "op_actor", "block_start",
                                    "block_end", "op_end", "release",  "acquire",  "rendezvous",
                                    "barrier",   "fence",  "read",     "write",    "load",
                                    "store",     "rmw",    "reset"};
  std::string text =
      fmt::format("{} a={} b={} c={}", kNames[static_cast<int>(e.kind)], e.a, e.b, e.c);
  if (e.address != 0) text += fmt::format(" at {:#x} +{}", e.address - kBase, e.bytes);
  text += fmt::format(" {} {} site {} list", name_of(e.order), name_of(e.scope), e.site);
  for (const int item : e.list) text += fmt::format(" {}", item);
  return text;
}

std::string text_of(const std::set<FoundRace>& races) {
  std::string text;
  for (const FoundRace& race : races) {
    text +=
        fmt::format("  {} -> {} {} at {} level, edge {} -> {}\n", race.earlier, race.later,
                    name_of(race.kind), name_of(race.level), race.edge_writer, race.edge_reader);
  }
  return text;
}

bool agree(RaceDetector& detector, const Program& program) {
  const std::set<FoundRace> theirs = found_by_reference(program);
  return found_by_detector(detector, program) == theirs &&
         found_by_detector(detector, program, 0) == theirs;
}

// Removes events as long as the two still disagree.
Program shrunk(RaceDetector& detector, Program program) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (std::size_t i = program.size(); i-- > 0;) {
      if (!is_removable(program[i])) continue;
      Program without = program;
      without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
      if (agree(detector, without)) continue;
      program = std::move(without);
      smaller = true;
    }
  }
  return program;
}

std::string explain(RaceDetector& detector, const Program& program) {
  std::string text = "program:\n";
  for (const Event& event : program) text += "  " + text_of(event) + "\n";
  text += "detector:\n" + text_of(found_by_detector(detector, program));
  text += "detector, reads in groups:\n" + text_of(found_by_detector(detector, program, 0));
  return text + "reference:\n" + text_of(found_by_reference(program));
}

TEST(RaceDifferential, DetectorAndReferenceFindTheSameRacesInRandomPrograms) {
  const std::uint64_t first = setting("RANKLE_RACE_SEED", 1);
  const std::uint64_t programs = setting("RANKLE_RACE_PROGRAMS", kProgramsInCi);
  RaceDetector detector;
  std::uint64_t missed = 0;
  std::uint64_t extra = 0;
  std::uint64_t silent = 0;
  std::map<RaceKind, std::uint64_t> kinds;
  for (std::uint64_t seed = first; seed < first + programs; ++seed) {
    const Program program = Generator(seed).make();
    const std::set<FoundRace> ours = found_by_detector(detector, program);
    const std::set<FoundRace> theirs = found_by_reference(program);
    for (const FoundRace& race : theirs) missed += ours.contains(race) ? 0 : 1;
    for (const FoundRace& race : ours) extra += theirs.contains(race) ? 0 : 1;
    // The same again, with reads in groups wherever a cell is full.
    const std::set<FoundRace> grouped = found_by_detector(detector, program, 0);
    for (const FoundRace& race : theirs) ++kinds[race.kind];
    silent += theirs.empty() ? 1 : 0;
    ASSERT_EQ(ours, theirs) << "seed " << seed << "\n"
                            << explain(detector, shrunk(detector, program));
    ASSERT_EQ(grouped, theirs) << "in groups, seed " << seed << "\n"
                               << explain(detector, shrunk(detector, program));
  }
  std::cout << programs << " programs, " << silent << " without a race; missed " << missed
            << ", extra " << extra;
  for (const auto& [kind, n] : kinds) std::cout << "; " << name_of(kind) << " " << n;
  std::cout << std::endl;
  // The programs must be worth something: every kind, and some without any race.
  EXPECT_EQ(kinds.size(), 4U);
  EXPECT_GT(silent, programs / 50);
}

}  // namespace
}  // namespace rankle::sim::race::testing
