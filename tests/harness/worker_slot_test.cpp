// The case slot: what one side writes the other reads, and what cannot be trusted is checked.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "harness/case_slot.h"

namespace rankle {
namespace {

TEST(CaseSlot, IsSharedWithAnAttachedCopy) {
  CaseSlot mine = CaseSlot::create();
  CaseSlot theirs = CaseSlot::attach(mine.fd());
  mine.put_case(7, "{\"target\":\"x\"}");
  EXPECT_EQ(theirs.case_number(), 7u);
  EXPECT_EQ(theirs.case_text(), "{\"target\":\"x\"}");
  theirs.set_phase(Phase::checking);
  theirs.set_progress(99);
  EXPECT_EQ(mine.phase(), Phase::checking);
  EXPECT_EQ(mine.progress(), 99u);
}

TEST(CaseSlot, KeepsWhatAKilledProcessWrote) {
  CaseSlot slot = CaseSlot::create();
  slot.put_case(1, "case");
  const pid_t child = fork();
  if (child == 0) {
    slot.set_phase(Phase::running);
    slot.crash_record().rank = 3;
    slot.crash_record().cause = CrashCause::fault;
    slot.crash_record().complete = 1;
    kill(getpid(), SIGKILL);
  }
  waitpid(child, nullptr, 0);
  EXPECT_EQ(slot.phase(), Phase::running);
  EXPECT_EQ(slot.crash_report().cause, CrashCause::fault);
  EXPECT_EQ(slot.crash_report().rank, 3);
  EXPECT_EQ(slot.crash_report().function, "");
}

TEST(CaseSlot, NewCaseClearsPhaseProgressAndRecord) {
  CaseSlot slot = CaseSlot::create();
  slot.set_phase(Phase::checking);
  slot.set_progress(5);
  slot.crash_record().cause = CrashCause::exit;
  slot.crash_record().complete = 1;
  slot.put_case(2, "next");
  EXPECT_EQ(slot.phase(), Phase::idle);
  EXPECT_EQ(slot.progress(), 0u);
  EXPECT_EQ(slot.crash_report().cause, CrashCause::none);
}

TEST(CaseSlot, HoldsTheLongestCaseAndRefusesALongerOne) {
  CaseSlot slot = CaseSlot::create();
  const std::string longest(CaseSlot::kCaseBytesMax, 'x');
  slot.put_case(1, longest);
  EXPECT_EQ(slot.case_text(), longest);
  EXPECT_THROW(slot.put_case(2, longest + "x"), std::length_error);
  EXPECT_EQ(slot.case_number(), 1u);
}

TEST(CaseSlot, ReportIsSafeFromScribbles) {
  CaseSlot slot = CaseSlot::create();
  CrashRecord& record = slot.crash_record();
  std::memset(static_cast<void*>(&record), 0x80, sizeof record);
  EXPECT_EQ(slot.crash_report().cause, CrashCause::none) << "not marked complete";
  record.complete = 1;
  EXPECT_EQ(slot.crash_report().cause, CrashCause::none) << "no such cause";
  record.cause = CrashCause::fault;
  record.symbolised = 1;
  EXPECT_EQ(slot.crash_report().function, std::string(sizeof record.function, '?'));
}

TEST(CaseSlot, RefusesWhatIsNoSlot) {
  const int empty = memfd_create("empty", MFD_CLOEXEC);
  EXPECT_THROW(CaseSlot::attach(empty), std::runtime_error);
  ASSERT_EQ(ftruncate(empty, 64 << 20), 0);
  EXPECT_THROW(CaseSlot::attach(empty), std::runtime_error);
  close(empty);
  EXPECT_THROW(CaseSlot::attach(-1), std::runtime_error);
  EXPECT_THROW(CaseSlot::open("/no/such/slot"), std::system_error);
  EXPECT_THROW(CaseSlot::create("/no/such/folder/slot"), std::system_error);
}

TEST(CaseSlot, ActiveSlotTakesPhasesAndNoneIsFine) {
  enter_phase(Phase::running);
  note_progress(1);
  CaseSlot slot = CaseSlot::create();
  set_active_slot(&slot);
  enter_phase(Phase::loading);
  note_progress(8);
  set_active_slot(nullptr);
  enter_phase(Phase::checking);
  EXPECT_EQ(slot.phase(), Phase::loading);
  EXPECT_EQ(slot.progress(), 8u);
}

}  // namespace
}  // namespace rankle
