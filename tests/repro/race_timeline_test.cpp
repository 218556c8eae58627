// A race in two columns: who stands where, in which order, and what old files without roles give.
#include "repro/race_timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rankle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// Rank 1 reads what rank 0 wrote, behind a flag that does not release.
Finding handoff() {
  Finding finding;
  finding.kind = FindingKind::relaxed_handoff;
  finding.sites = {
      {"gather", "k.h", 40}, {"reduce", "k.h", 20}, {"meet", "s.h", 9}, {"meet", "s.h", 7}};
  finding.actors = {{1, 0, 5}, {0, 0, 5}, {1, 0, 0}, {0, 0, 5}};
  finding.roles = {"reads 16 bytes of the data", "writes 16 bytes of the data",
                   "sees the flag (acquire, system scope)",
                   "sets the flag (relaxed, system scope)"};
  return finding;
}

TEST(RaceTimeline, PutsTheEarlierSideLeftAndGoesDownInTime) {
  const std::string gap(58, ' ');
  EXPECT_THAT(
      race_timeline(handoff()),
      ElementsAre(
          "thread 5 of block 0 on rank 0" + std::string(29, ' ') + "thread 5 of block 0 on rank 1",
          std::string(54, '-') + "    " + std::string(54, '-'), "writes 16 bytes of the data",
          "  k.h:20", "sets the flag (relaxed, system scope)", "  s.h:7",
          gap + "(thread 0 of block 0 on rank 1)", gap + "sees the flag (acquire, system scope)",
          gap + "  s.h:9", gap + "reads 16 bytes of the data", gap + "  k.h:40"));
}

TEST(RaceTimeline, NeedsNoFlag) {
  Finding race = handoff();
  race.kind = FindingKind::data_race;
  race.sites.resize(2);
  race.actors.resize(2);
  race.roles.resize(2);
  EXPECT_THAT(race_timeline(race), SizeIs(6));
  EXPECT_THAT(race_timeline(race)[4], HasSubstr("reads 16 bytes"));
}

TEST(RaceTimeline, IsEmptyWithoutRolesAndForOtherKinds) {
  Finding old = handoff();
  old.roles.clear();
  EXPECT_THAT(race_timeline(old), IsEmpty());
  Finding other = handoff();
  other.kind = FindingKind::deadlock;
  EXPECT_THAT(race_timeline(other), IsEmpty());
}

}  // namespace
}  // namespace rankle
