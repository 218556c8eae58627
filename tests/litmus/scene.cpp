// The host side that all litmus cases share.
#include "tests/litmus/scene.h"

#include <gtest/gtest.h>

namespace rankle::sim::litmus {

// Calls fail once a report has stopped the run.
void finish(Scene&) { EXPECT_TRUE(hipDeviceSynchronize() == hipSuccess || stopped()); }

void expect(Scene& scene, const Word* word, Word value) {
  finish(scene);
  if (!scene.checks_values) return;
  Word found = 0;
  EXPECT_EQ(hipMemcpy(&found, word, sizeof found, hipMemcpyDeviceToHost), hipSuccess);
  if (found == value) return;
  scene.board.unexpected.push_back("rank " + std::to_string(scene.rank) + " finds " +
                                   std::to_string(found) + " instead of " + std::to_string(value));
}

hipStream_t new_stream(unsigned flags) {
  hipStream_t stream = nullptr;
  EXPECT_EQ(hipStreamCreateWithFlags(&stream, flags), hipSuccess);
  return stream;
}

hipEvent_t new_event() {
  hipEvent_t event = nullptr;
  EXPECT_EQ(hipEventCreateWithFlags(&event, hipEventDisableTiming), hipSuccess);
  return event;
}

void order_streams(hipStream_t first, hipStream_t second) {
  hipEvent_t event = new_event();
  EXPECT_EQ(hipEventRecord(event, first), hipSuccess);
  EXPECT_EQ(hipStreamWaitEvent(second, event), hipSuccess);
}

}  // namespace rankle::sim::litmus
