// What findings say of single steps, and where the listing of a program shows it.
#include "repro/step_notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "repro/describe_program.h"

namespace rankle {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

Finding race() {
  Finding finding;
  finding.kind = FindingKind::data_race;
  finding.message = "a copy writes 4 bytes of byte 256 of 'input of rank 1' (700 bytes), which ...";
  finding.sites = {{"queue_write", "harness/runner/buffers.cpp", 87},
                   {"enter", "kernels/communicator/communicator_calls.h", 101}};
  finding.actors = {{1, -1, -1, 3}, {1, 0, 5, 1}};
  finding.roles = {"writes 4 bytes of the data", "reads 4 bytes of the data"};
  return finding;
}

TEST(StepNotes, OfARaceSayWhatEachSideDidInWhichStep) {
  EXPECT_THAT(
      step_notes_of(race()),
      ElementsAre(Pair(1, ElementsAre("thread 5 of block 0 on rank 1 reads 4 bytes of 'input of "
                                      "rank 1' (kernels/communicator/communicator_calls.h:101)")),
                  Pair(3, ElementsAre("rank 1 writes 4 bytes of 'input of rank 1' "
                                      "(harness/runner/buffers.cpp:87)"))));
  Finding one_step = race();
  one_step.actors[1].step = 3;
  EXPECT_THAT(step_notes_of(one_step).at(3),
              ElementsAre(testing::HasSubstr("reads"), testing::HasSubstr("writes")))
      << "the earlier one comes first";
}

TEST(StepNotes, OfOtherKindsSayWhatWasDoneAndToWhat) {
  Finding finding;
  finding.kind = FindingKind::uninitialised_read;
  finding.message = "thread 0 reads 16 bytes that nobody has written: byte 0 of 'copy 1' (783 ...)";
  finding.actors = {{1, 0, 0, 4}};
  EXPECT_THAT(step_notes_of(finding),
              ElementsAre(Pair(4, ElementsAre("thread 0 of block 0 on rank 1 reads what nobody has "
                                              "written: 'copy 1'"))));
  finding.kind = FindingKind::wrong_result;
  finding.message = "output element 0 of rank 1 is 3 where 4 was expected";
  finding.actors = {{1, -1, -1, 4}, {0, -1, -1, 6}};
  EXPECT_THAT(step_notes_of(finding),
              ElementsAre(Pair(4, ElementsAre("rank 1 finds the first wrong element of its "
                                              "output"))))
      << "the first one alone";
}

TEST(StepNotes, AreNoneWhereNoStepIsKnown) {
  Finding finding = race();
  for (Actor& actor : finding.actors) actor.step = -1;
  EXPECT_THAT(step_notes_of(finding), IsEmpty());
}

TEST(StepNotes, StandBelowTheirStep) {
  Case c;
  c.shape = {4};
  c.program = {{.kind = StepKind::capture},
               {.kind = StepKind::call},
               {.kind = StepKind::end_capture},
               {.kind = StepKind::replay},
               {.kind = StepKind::check}};
  EXPECT_THAT(describe_program(c, {{1, {"rank 1 reads"}}, {3, {"rank 0 writes", "rank 2 too"}}}),
              ElementsAre("program, the same on every rank:", "   0. capture graph 0:",
                          "   1.   call", "        <- rank 1 reads",
                          "   2. end the capture, and make its buffers known to all ranks",
                          "   3. fill the inputs with round 0, poison the outputs, replay graph 0 "
                          "(1 call), check its outputs",
                          "        <- rank 0 writes", "        <- rank 2 too",
                          "   4. wait for all ranks and check the output for round 0"));
}

}  // namespace
}  // namespace rankle
