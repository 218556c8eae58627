// The race detector's rules on flags: order, scope, fences, release sequences, and which edge is
// blamed.
#include "tests/sim/race_fixture.h"

namespace rankle::sim::race::testing {
namespace {

class RaceFlagTest : public RaceTest {
 protected:
  // A thread of device 0 writes data and raises a flag; one of device 1 reads both.
  void hand_off(Order store_order, Scope store_scope, Order load_order, Scope load_scope) {
    const Kernel a = start(0);
    const Kernel b = start(1);
    write(thread(a, 0, 1), 1);
    store(thread(a, 0, 1), store_order, store_scope);
    load(thread(b, 1, 2), load_order, load_scope);
    read(thread(b, 1, 2), 2);
  }
};

TEST_F(RaceFlagTest, ReleaseAndAcquireOrder) {
  hand_off(Order::release, Scope::system, Order::acquire, Scope::system);
  EXPECT_THAT(kinds(), IsEmpty());
}

TEST_F(RaceFlagTest, ARelaxedStoreIsAHandOffThatLacksRelease) {
  hand_off(Order::relaxed, Scope::system, Order::acquire, Scope::system);
  ASSERT_THAT(kinds(), ElementsAre(RaceKind::relaxed_handoff));
  const MissingEdge& edge = *reports[0].edge;
  EXPECT_TRUE(edge.lacks_release);
  EXPECT_FALSE(edge.lacks_acquire);
  EXPECT_FALSE(edge.scope_falls_short);
  EXPECT_EQ(edge.flag, kFlag);
  EXPECT_EQ(edge.writer.who.pc, 101U);
  EXPECT_EQ(edge.writer.who.device, 0);
  EXPECT_EQ(edge.writer.order, Order::relaxed);
  EXPECT_EQ(edge.reader.who.pc, 102U);
  EXPECT_EQ(edge.reader.who.thread, 2U);
  EXPECT_EQ(edge.reader.order, Order::acquire);
  EXPECT_EQ(edge.distance, Scope::system);
}

TEST_F(RaceFlagTest, ARelaxedLoadIsAHandOffThatLacksAcquire) {
  hand_off(Order::release, Scope::system, Order::relaxed, Scope::system);
  ASSERT_THAT(kinds(), ElementsAre(RaceKind::relaxed_handoff));
  EXPECT_FALSE(reports[0].edge->lacks_release);
  EXPECT_TRUE(reports[0].edge->lacks_acquire);
}

TEST_F(RaceFlagTest, AScopeThatDoesNotReachOnEitherSideIsAScopeRace) {
  const Scope pairs[][2] = {{Scope::device, Scope::system}, {Scope::system, Scope::device}};
  for (const auto& [store_scope, load_scope] : pairs) {
    begin({});
    hand_off(Order::release, store_scope, Order::acquire, load_scope);
    ASSERT_THAT(kinds(), ElementsAre(RaceKind::scope_race));
    EXPECT_TRUE(reports[0].edge->scope_falls_short);
    EXPECT_FALSE(reports[0].edge->lacks_release);
    EXPECT_EQ(reports[0].edge->distance, Scope::system);
  }
}

TEST_F(RaceFlagTest, DeviceScopeReachesOtherBlocksAndBlockScopeDoesNot) {
  for (const Scope scope : {Scope::device, Scope::block}) {
    begin({});
    const Kernel k = start(0);
    write(thread(k, 0, 0), 1);
    store(thread(k, 0, 0), Order::release, scope);
    load(thread(k, 1, 0), Order::acquire, scope);
    read(thread(k, 1, 0), 2);
    EXPECT_EQ(reports.size(), scope == Scope::device ? 0U : 1U);
  }
}

TEST_F(RaceFlagTest, AnAcquireChangesTheAcquiringThreadAloneUntilTheNextBarrier) {
  const Kernel a = start(0);
  const Kernel b = start(1);
  write(thread(a, 0, 0), 1);
  store(thread(a, 0, 0), Order::release);
  load(thread(b, 0, 0), Order::acquire);
  read(thread(b, 0, 1), 2);
  EXPECT_THAT(kinds(), ElementsAre(RaceKind::data_race));
  reports.clear();
  detector.barrier(b.blocks[0]);
  read(thread(b, 0, 1), 3);
  read(thread(b, 0, 7), 4);
  EXPECT_THAT(kinds(), IsEmpty());
  read(thread(b, 1, 0), 5);
  EXPECT_THAT(kinds(), ElementsAre(RaceKind::data_race));
}

TEST_F(RaceFlagTest, AReleaseCoversTheBlockUpToItsLastBarrierAndTheThreadUpToNow) {
  const Kernel a = start(0);
  const Kernel b = start(1);
  write(thread(a, 0, 5), 1);
  detector.barrier(a.blocks[0]);
  write(thread(a, 0, 0), 2, kWord + 8);
  write(thread(a, 0, 5), 3, kWord + 16);  // another thread, behind the barrier
  store(thread(a, 0, 0), Order::release);
  write(thread(a, 0, 0), 4, kWord + 24);  // behind the release
  load(thread(b, 0, 0), Order::acquire);
  for (unsigned i = 0; i < 4; ++i) read(thread(b, 0, 0), 11 + i, kWord + 8 * i);
  ASSERT_THAT(kinds(), ElementsAre(RaceKind::data_race, RaceKind::data_race));
  EXPECT_EQ(reports[0].earlier.pc, 3U);
  EXPECT_EQ(reports[1].earlier.pc, 4U);
}

TEST_F(RaceFlagTest, AWriteAfterTheReadersArrivalIsOrderedOnlyIfTheReaderReleases) {
  for (const Order order : {Order::release, Order::relaxed}) {
    begin({});
    const Kernel a = start(0);
    const Kernel b = start(1);
    read(thread(b, 0, 0), 1);
    store(thread(b, 0, 0), order);
    load(thread(a, 0, 0), Order::acquire);
    write(thread(a, 0, 0), 2);
    EXPECT_EQ(reports.size(), order == Order::release ? 0U : 1U);
  }
}

TEST_F(RaceFlagTest, FencesStandInForTheOrderOfRelaxedAccesses) {
  const Kernel a = start(0);
  const Kernel b = start(1);
  write(thread(a, 0, 0), 1);
  detector.fence(thread(a, 0, 0), Order::release, Scope::system);
  write(thread(a, 0, 0), 2, kWord + 8);  // behind the fence: not handed over
  store(thread(a, 0, 0), Order::relaxed);
  load(thread(b, 0, 0), Order::relaxed);
  read(thread(b, 0, 0), 3);  // before the fence
  ASSERT_THAT(kinds(), ElementsAre(RaceKind::relaxed_handoff));
  EXPECT_TRUE(reports[0].edge->lacks_acquire);
  detector.fence(thread(b, 0, 0), Order::acquire, Scope::system);
  read(thread(b, 0, 0), 4);
  EXPECT_EQ(reports.size(), 1U);
  read(thread(b, 0, 0), 5, kWord + 8);
  ASSERT_EQ(reports.size(), 2U);
  EXPECT_EQ(reports[1].kind, RaceKind::relaxed_handoff);
  EXPECT_TRUE(reports[1].edge->lacks_release);
  EXPECT_FALSE(reports[1].edge->lacks_acquire);
}

TEST_F(RaceFlagTest, AFenceOfADeviceDoesNotReachAnotherDevice) {
  for (const bool narrow_release : {true, false}) {
    begin({});
    const Kernel a = start(0);
    const Kernel b = start(1);
    write(thread(a, 0, 0), 1);
    detector.fence(thread(a, 0, 0), Order::seq_cst, narrow_release ? Scope::device : Scope::system);
    store(thread(a, 0, 0), Order::relaxed);
    load(thread(b, 0, 0), Order::relaxed);
    detector.fence(thread(b, 0, 0), Order::seq_cst, narrow_release ? Scope::system : Scope::device);
    read(thread(b, 0, 0), 2);
    ASSERT_THAT(kinds(), ElementsAre(RaceKind::scope_race));
    EXPECT_TRUE(reports[0].edge->scope_falls_short);
  }
}

TEST_F(RaceFlagTest, ReadModifyWritesContinueAReleaseSequence) {
  const Kernel a = start(0);
  const Kernel b = start(1);
  write(thread(a, 0, 0), 1);
  add(thread(a, 0, 0), Order::release);
  add(thread(a, 1, 0), Order::relaxed);
  add(thread(b, 1, 0), Order::relaxed);
  load(thread(b, 0, 0), Order::acquire);
  read(thread(b, 0, 0), 2);
  EXPECT_THAT(kinds(), IsEmpty());
}

TEST_F(RaceFlagTest, AStoreOfAnotherThreadEndsAReleaseSequence) {
  const Kernel a = start(0);
  const Kernel b = start(1);
  write(thread(a, 0, 0), 1);
  store(thread(a, 0, 0), Order::release);
  store(thread(a, 1, 0), Order::release);
  load(thread(b, 0, 0), Order::acquire);
  read(thread(b, 0, 0), 2);
  EXPECT_THAT(kinds(), ElementsAre(RaceKind::data_race));
}

TEST_F(RaceFlagTest, ACounterOfManyReleasesHandsOverAllOfThem) {
  const Kernel a = start(0);
  for (std::uint32_t t = 0; t < kThreads; ++t) {
    write(thread(a, 0, t), 1 + t, kWord + 8 * t);
    add(thread(a, 0, t), Order::acq_rel, Scope::device);
  }
  load(thread(a, 1, 0), Order::acquire, Scope::device);
  for (std::uint32_t t = 0; t < kThreads; ++t) read(thread(a, 1, 0), 50 + t, kWord + 8 * t);
  EXPECT_THAT(kinds(), IsEmpty());
}

TEST_F(RaceFlagTest, DataOfAnEarlierKernelBehindARelaxedFlagIsAHandOffNotADataRace) {
  const Kernel first = start(0);
  write(thread(first, 1, 6), 1);
  end(first);
  const Kernel second = start(0);
  const Kernel peer = start(1);
  store(thread(second, 0, 0), Order::relaxed);
  load(thread(peer, 0, 0), Order::relaxed);
  detector.barrier(peer.blocks[0]);
  read(thread(peer, 0, 5), 2);
  ASSERT_THAT(kinds(), ElementsAre(RaceKind::relaxed_handoff));
  EXPECT_TRUE(reports[0].edge->lacks_release);
  EXPECT_TRUE(reports[0].edge->lacks_acquire);
  EXPECT_EQ(reports[0].edge->reader.who.thread, 0U);
}

TEST_F(RaceFlagTest, ThePlainFlagIsNoFlag) {
  const Kernel a = start(0);
  const Kernel b = start(1);
  write(thread(a, 0, 0), 1);
  write(thread(a, 0, 0), 2, kFlag);
  load(thread(b, 0, 0), Order::acquire);
  read(thread(b, 0, 0), 3);
  ASSERT_THAT(kinds(), ElementsAre(RaceKind::data_race, RaceKind::data_race));
  EXPECT_EQ(reports[0].earlier.pc, 2U) << "an atomic and a plain access of the flag";
  EXPECT_TRUE(reports[0].later.is_atomic);
  EXPECT_FALSE(reports[0].earlier.is_atomic);
}

TEST_F(RaceFlagTest, AtomicAccessesDoNotRaceAndPlainOnesRaceWithThem) {
  const Kernel a = start(0);
  const Kernel b = start(1);
  store(thread(a, 0, 0), Order::relaxed);
  add(thread(b, 0, 0), Order::relaxed);
  store(thread(b, 1, 0), Order::relaxed, Scope::block, 104);
  EXPECT_THAT(kinds(), IsEmpty());
  read(thread(b, 0, 1), 1, kFlag);
  EXPECT_EQ(reports.size(), 3U) << "three atomic writes";
}

TEST_F(RaceFlagTest, TheEdgeThatFailedUpstreamIsBlamed) {
  const Kernel a = start(0);
  const Kernel b = start(1);
  write(thread(a, 0, 0), 1);
  store(thread(a, 0, 0), Order::relaxed, Scope::system, 201);
  load(thread(b, 0, 0), Order::acquire, Scope::system, 202);
  // From here on all is well.
  detector.atomic_store(thread(b, 0, 0), kFlag + 64, 4, Order::release, Scope::system, 203);
  detector.atomic_load(thread(b, 1, 0), kFlag + 64, 4, Order::acquire, Scope::system, 204);
  read(thread(b, 1, 0), 2);
  ASSERT_THAT(kinds(), ElementsAre(RaceKind::relaxed_handoff));
  EXPECT_EQ(reports[0].edge->writer.who.pc, 201U);
  EXPECT_EQ(reports[0].edge->reader.who.pc, 202U);
}

TEST_F(RaceFlagTest, AWordOfSeveralFlagsSynchronisesWithEachWriter) {
  const Kernel a = start(0);
  const Kernel b = start(1);
  for (std::uint32_t i = 0; i < 4; ++i) {
    write(thread(a, 0, i), 1 + i, kWord + 8 * i);
    detector.atomic_store(thread(a, 0, i), kFlag + i, 1, Order::release, Scope::system, 101);
  }
  detector.atomic_load(thread(b, 0, 0), kFlag, 4, Order::acquire, Scope::system, 102);
  for (std::uint32_t i = 0; i < 4; ++i) read(thread(b, 0, 0), 11 + i, kWord + 8 * i);
  EXPECT_THAT(kinds(), IsEmpty());
}

}  // namespace
}  // namespace rankle::sim::race::testing
