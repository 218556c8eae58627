// The race detector's rules on plain accesses, barriers, waves, operations, hosts and memory.
#include "tests/sim/race_fixture.h"

namespace rankle::sim::race::testing {
namespace {

TEST_F(RaceTest, TwoWritesOfDifferentDevicesRaceAtSystemLevel) {
  const Kernel a = start(0);
  const Kernel b = start(1);
  write(thread(a, 1, 3), 1, kWord + 2, 4);
  write(thread(b, 0, 5), 2, kWord + 4, 4);
  ASSERT_THAT(kinds(), ElementsAre(RaceKind::data_race));
  const RaceReport& r = reports[0];
  EXPECT_EQ(r.level, Scope::system);
  EXPECT_EQ(r.address, kWord + 4);
  EXPECT_EQ(r.bytes, 2U);
  EXPECT_EQ(r.earlier.pc, 1U);
  EXPECT_EQ(r.earlier.rank, 0);
  EXPECT_EQ(r.earlier.device, 0);
  EXPECT_EQ(r.earlier.block, 1U);
  EXPECT_EQ(r.earlier.thread, 3U);
  EXPECT_EQ(r.earlier.tag, 7U);
  EXPECT_TRUE(r.earlier.is_write);
  EXPECT_EQ(r.later.pc, 2U);
  EXPECT_EQ(r.later.device, 1);
  EXPECT_EQ(r.later.thread, 5U);
  EXPECT_FALSE(r.edge.has_value());
}

TEST_F(RaceTest, BlocksOfOneDeviceRaceAtDeviceLevel) {
  const Kernel k = start(0);
  write(thread(k, 0, 0), 1);
  read(thread(k, 1, 0), 2);
  ASSERT_THAT(kinds(), ElementsAre(RaceKind::data_race));
  EXPECT_EQ(reports[0].level, Scope::device);
  EXPECT_FALSE(reports[0].later.is_write);
}

TEST_F(RaceTest, WavesOfOneBlockRaceAtBlockLevelUnlessABarrierIsBetween) {
  const Kernel k = start(0);
  read(thread(k, 0, 0), 1);
  write(thread(k, 0, 4), 2);
  ASSERT_THAT(kinds(), ElementsAre(RaceKind::data_race));
  EXPECT_EQ(reports[0].level, Scope::block);
  reports.clear();
  detector.barrier(k.blocks[0]);
  write(thread(k, 0, 1), 3);
  EXPECT_THAT(kinds(), IsEmpty());
}

TEST_F(RaceTest, ABarrierOfOneBlockDoesNotOrderAnother) {
  const Kernel k = start(0);
  write(thread(k, 0, 0), 1);
  detector.barrier(k.blocks[1]);
  read(thread(k, 1, 0), 2);
  EXPECT_THAT(kinds(), ElementsAre(RaceKind::data_race));
}

TEST_F(RaceTest, LanesOfOneWaveHaveTheirOwnKind) {
  const Kernel k = start(0);
  write(thread(k, 0, 4), 1);
  read(thread(k, 0, 7), 2);
  ASSERT_THAT(kinds(), ElementsAre(RaceKind::wave_synchronous));
  EXPECT_EQ(reports[0].level, Scope::wave);
}

TEST_F(RaceTest, FencesOnBothSidesOrderLanesOfOneWave) {
  const Kernel k = start(0);
  write(thread(k, 0, 4), 1);
  detector.fence(thread(k, 0, 4), Order::acq_rel, Scope::wave);
  detector.fence(thread(k, 0, 7), Order::acq_rel, Scope::wave);
  read(thread(k, 0, 7), 2);
  EXPECT_THAT(kinds(), IsEmpty());
  read(thread(k, 0, 6), 3);              // this one has no fence
  write(thread(k, 0, 4), 4, kWord + 8);  // behind its fence
  read(thread(k, 0, 7), 5, kWord + 8);
  EXPECT_THAT(kinds(), ElementsAre(RaceKind::wave_synchronous, RaceKind::wave_synchronous));
}

TEST_F(RaceTest, FencesDoNotOrderLanesOfDifferentWaves) {
  const Kernel k = start(0);
  write(thread(k, 0, 3), 1);
  detector.fence(thread(k, 0, 3), Order::seq_cst, Scope::system);
  detector.fence(thread(k, 0, 4), Order::seq_cst, Scope::system);
  read(thread(k, 0, 4), 2);
  EXPECT_THAT(kinds(), ElementsAre(RaceKind::data_race));
}

TEST_F(RaceTest, LanesThatMeetAreOrdered) {
  const Kernel k = start(0);
  write(thread(k, 0, 4), 1);
  const std::vector<Thread*> lanes = {thread(k, 0, 4), thread(k, 0, 5), thread(k, 0, 6)};
  detector.rendezvous(lanes);
  read(thread(k, 0, 6), 2);
  EXPECT_THAT(kinds(), IsEmpty());
  read(thread(k, 0, 7), 3);
  EXPECT_THAT(kinds(), ElementsAre(RaceKind::wave_synchronous));
}

TEST_F(RaceTest, ReadsDoNotRaceWithEachOther) {
  const Kernel a = start(0);
  const Kernel b = start(1);
  for (std::uint32_t t = 0; t < kThreads; ++t) {
    read(thread(a, 0, t), 1);
    read(thread(b, 1, t), 2);
  }
  EXPECT_THAT(kinds(), IsEmpty());
}

TEST_F(RaceTest, OtherBytesOfAWordAreOtherMemory) {
  const Kernel k = start(0);
  write(thread(k, 0, 0), 1, kWord, 2);
  write(thread(k, 1, 0), 2, kWord + 2, 2);
  write(thread(k, 0, 1), 3, kWord + 4, 4);
  EXPECT_THAT(kinds(), IsEmpty());
}

TEST_F(RaceTest, EachCellOfAWideAccessIsChecked) {
  const Kernel k = start(0);
  write(thread(k, 0, 0), 1, kWord, 32);
  read(thread(k, 1, 0), 2, kWord + 24, 4);
  ASSERT_THAT(kinds(), ElementsAre(RaceKind::data_race));
  EXPECT_EQ(reports[0].address, kWord + 24);
  reports.clear();
  write(thread(k, 1, 1), 3, kWord + 1, 25);  // parts of both cells
  ASSERT_THAT(kinds(), ElementsAre(RaceKind::data_race, RaceKind::wave_synchronous));
  EXPECT_EQ(reports[0].address, kWord + 1);
  EXPECT_EQ(reports[0].bytes, 15U);
  EXPECT_EQ(reports[1].address, kWord + 24);
  EXPECT_EQ(reports[1].bytes, 2U);
}

TEST_F(RaceTest, AWriterRacesWithReadersHoweverManyThereAre) {
  const Kernel wide{detector.op_begin({streams[0], 0, 0, 0}, {}), {}};
  Block* const readers = detector.block_started(wide.op, 0, 1024, 64);
  for (std::uint32_t t = 0; t < 1024; ++t) read(detector.thread(readers, t), 1 + t);
  detector.barrier(readers);
  write(detector.thread(readers, 9), 5000);
  EXPECT_THAT(kinds(), IsEmpty());
  for (std::uint32_t t = 0; t < 1024; ++t) read(detector.thread(readers, t), 10000 + t);
  // One of its own, the writes of phase 1 and what thread 9 wrote itself.
  EXPECT_EQ(reports.size(), 1023U);
  reports.clear();
  const Kernel other = start(1);
  write(thread(other, 0, 0), 6000);
  EXPECT_EQ(reports.size(), 1025U) << "1024 readers and one writer";
}

TEST_F(RaceTest, OperationsOfOneStreamAreOrdered) {
  const Kernel first = start(0);
  write(thread(first, 0, 0), 1);
  end(first);
  const Kernel second = start(0);
  write(thread(second, 1, 7), 2);
  EXPECT_THAT(kinds(), IsEmpty());
}

TEST_F(RaceTest, StreamsAreOrderedByAnEventOnly) {
  const Kernel first = start(0);
  write(thread(first, 0, 0), 1);
  const Token done = end(first);
  const Kernel early = start(1);
  read(thread(early, 0, 0), 2);
  EXPECT_THAT(kinds(), ElementsAre(RaceKind::data_race));
  end(early);
  reports.clear();
  const Kernel late = start(1, {&done});
  read(thread(late, 0, 0), 3);
  EXPECT_THAT(kinds(), IsEmpty());
}

TEST_F(RaceTest, ACopyRacesWithAKernelOfAnotherStream) {
  const std::uint32_t side = detector.new_chain();
  const Kernel k = start(0);
  Op* const copy = detector.op_begin({side, 0, 0, 9}, {});
  write(thread(k, 0, 2), 1);
  read(detector.op_actor(copy), 2, kWord - 64, 128);
  ASSERT_THAT(kinds(), ElementsAre(RaceKind::data_race));
  EXPECT_EQ(reports[0].level, Scope::device);
  EXPECT_EQ(reports[0].later.tag, 9U);
}

TEST_F(RaceTest, AHostKnowsWhatItHasWaitedFor) {
  Thread* const host = detector.host_started(0);
  const Kernel k = start(0);
  write(thread(k, 0, 0), 1);
  const Token done = end(k);
  read(host, 2);
  ASSERT_THAT(kinds(), ElementsAre(RaceKind::data_race));
  EXPECT_EQ(reports[0].later.device, -1);
  reports.clear();
  detector.acquire(host, done);
  read(host, 3);
  EXPECT_THAT(kinds(), IsEmpty());
}

TEST_F(RaceTest, AKernelKnowsWhatItsHostDidBeforeTheLaunch) {
  Thread* const host = detector.host_started(0);
  write(host, 1);
  const Token launch = detector.release(host);
  write(host, 2, kWord + 8);
  const Kernel k = start(0, {&launch});
  read(thread(k, 0, 0), 3);
  EXPECT_THAT(kinds(), IsEmpty());
  read(thread(k, 0, 0), 4, kWord + 8);
  EXPECT_THAT(kinds(), ElementsAre(RaceKind::data_race));
}

TEST_F(RaceTest, HostsThatMeetHandOverWhatTheirKernelsDid) {
  Thread* const one = detector.host_started(0);
  Thread* const two = detector.host_started(1);
  const Kernel k = start(0);
  write(thread(k, 1, 1), 1);
  detector.acquire(one, end(k));
  const std::vector<Thread*> hosts = {one, two};
  detector.rendezvous(hosts);
  const Token launch = detector.release(two);
  const Kernel next = start(1, {&launch});
  write(thread(next, 0, 0), 2);
  EXPECT_THAT(kinds(), IsEmpty());
}

TEST_F(RaceTest, MemoryThatWasGivenBackIsNew) {
  const Kernel k = start(0);
  write(thread(k, 0, 0), 1);
  store(thread(k, 0, 0), Order::release);
  detector.reset(kWord, 8);
  detector.reset(kFlag, 4);
  write(thread(k, 1, 0), 2);
  write(thread(k, 1, 0), 3, kFlag, 4);
  EXPECT_THAT(kinds(), IsEmpty());
}

TEST_F(RaceTest, ARunKnowsNothingOfEarlierRuns) {
  for (int run = 0; run < 3; ++run) {
    begin({});
    const Kernel k = start(0);
    for (std::uint32_t t = 0; t < kThreads; ++t) {
      read(thread(k, run % 2, t), 1);
      store(thread(k, run % 2, t), Order::relaxed);
    }
    EXPECT_THAT(kinds(), IsEmpty());
  }
  const Kernel k = start(1);
  write(thread(k, 0, 0), 2);
  EXPECT_EQ(reports.size(), 1U) << "the readers of this run, one site";
}

TEST_F(RaceTest, APairOfSitesIsReportedOnceUnlessAllAreWanted) {
  for (const bool once : {true, false}) {
    begin({.once = once});
    const Kernel k = start(0);
    for (std::uint32_t i = 0; i < 5; ++i) {
      write(thread(k, 0, i), 1, kWord + 8 * i);
      write(thread(k, 1, i), 2, kWord + 8 * i);
    }
    EXPECT_EQ(reports.size(), once ? 1U : 5U);
  }
}

}  // namespace
}  // namespace rankle::sim::race::testing
