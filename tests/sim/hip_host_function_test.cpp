// Host functions in streams and graphs: when they run, what they may do, what orders them.
#include "tests/sim/graph_fixture.h"

namespace rankle::sim::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A function that notes what it finds in a word of pinned memory, and adds one to it.
struct Notes {
  std::uint32_t* word = nullptr;
  std::vector<std::uint32_t> found;
};

void take_note(void* user_data) {
  auto& notes = *static_cast<Notes*>(user_data);
  notes.found.push_back(*notes.word);
  ++*notes.word;
}

std::uint32_t* pinned_word() {
  std::uint32_t* word = nullptr;
  EXPECT_EQ(hipHostMalloc(&word, 4), hipSuccess);
  *word = 0;
  return word;
}

TEST(HipHostFunction, RunsBetweenTheOperationsOfItsStream) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Config config;
    config.policy = Policy::random;
    config.seed = seed;
    const Result r = run_one(
        [] {
          const hipStream_t stream = new_stream();
          Notes notes{pinned_word(), {}};
          EXPECT_EQ(hipLaunchHostFunc(stream, take_note, &notes), hipSuccess);
          launch_add(notes.word, 10, notes.word, 1, stream);
          EXPECT_EQ(hipLaunchHostFunc(stream, take_note, &notes), hipSuccess);
          launch_add(notes.word, 100, notes.word, 1, stream);
          EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
          EXPECT_THAT(notes.found, ElementsAre(0U, 11U));
          EXPECT_EQ(*notes.word, 112U);
        },
        config);
    EXPECT_EQ(texts_of(r), "");
  }
}

TEST(HipHostFunction, TheCallDoesNotWaitForIt) {
  const Result r = run_one([] {
    const hipStream_t stream = new_stream();
    auto* const flag = zeroed_array<std::uint32_t>(1);
    Notes notes{pinned_word(), {}};
    launch_wait(flag, 1, stream);
    EXPECT_EQ(hipLaunchHostFunc(stream, take_note, &notes), hipSuccess);
    EXPECT_EQ(hipStreamQuery(stream), hipErrorNotReady);
    EXPECT_TRUE(notes.found.empty());
    launch_signal(flag, 1, new_stream());
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
    EXPECT_EQ(notes.found.size(), 1U);
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipHostFunction, CapturedItRunsInEveryLaunch) {
  const Result r = run_one([] {
    const hipStream_t stream = new_stream();
    Notes notes{pinned_word(), {}};
    const hipGraph_t graph = captured(stream, [&] {
      launch_add(notes.word, 10, notes.word, 1, stream);
      EXPECT_EQ(hipLaunchHostFunc(stream, take_note, &notes), hipSuccess);
      launch_add(notes.word, 100, notes.word, 1, stream);
    });
    EXPECT_THAT(types_of(graph),
                ElementsAre(hipGraphNodeTypeKernel, hipGraphNodeTypeHost, hipGraphNodeTypeKernel));
    EXPECT_TRUE(notes.found.empty());
    const hipGraphExec_t exec = instantiated(graph);
    replay(exec, stream);
    replay(exec, stream);
    EXPECT_THAT(notes.found, ElementsAre(10U, 121U));
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipHostFunction, ANodeIsMadeAskedForAndChanged) {
  const Result r = run_one([] {
    Notes first{pinned_word(), {}};
    Notes second{pinned_word(), {}};
    Notes third{pinned_word(), {}};
    const hipGraph_t graph = new_graph();
    hipGraphNode_t node = nullptr;
    hipHostNodeParams parameters{take_note, &first};
    EXPECT_EQ(hipGraphAddHostNode(&node, graph, nullptr, 0, &parameters), hipSuccess);
    hipHostNodeParams got{};
    EXPECT_EQ(hipGraphHostNodeGetParams(node, &got), hipSuccess);
    EXPECT_EQ(got.fn, &take_note);
    EXPECT_EQ(got.userData, &first);
    const hipGraphExec_t before = instantiated(graph);
    parameters.userData = &second;
    EXPECT_EQ(hipGraphHostNodeSetParams(node, &parameters), hipSuccess);
    const hipGraphExec_t after = instantiated(graph);
    parameters.userData = &third;
    replay(before, nullptr);  // has its own copies
    replay(after, nullptr);
    EXPECT_EQ(hipGraphExecHostNodeSetParams(after, node, &parameters), hipSuccess);
    replay(after, nullptr);
    for (const Notes* notes : {&first, &second, &third}) EXPECT_EQ(notes->found.size(), 1U);
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipHostFunction, CallsCheckWhatTheyAreGiven) {
  const Result r = run_one([] {
    Notes notes{pinned_word(), {}};
    const hipGraph_t graph = new_graph();
    auto* const a = zeroed_array<std::uint32_t>(1);
    const hipGraphNode_t fill = add_fill(graph, {}, a, 1, 1);
    const hipGraphExec_t exec = instantiated(graph);
    hipGraphNode_t node = nullptr;
    const hipHostNodeParams nothing{nullptr, &notes};
    const hipHostNodeParams parameters{take_note, nullptr};
    hipHostNodeParams got{};
    EXPECT_EQ(hipLaunchHostFunc(nullptr, nullptr, &notes), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphAddHostNode(&node, graph, nullptr, 0, nullptr), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphAddHostNode(&node, graph, nullptr, 0, &nothing), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphAddHostNode(nullptr, graph, nullptr, 0, &parameters), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphAddHostNode(&node, graph, nullptr, 0, &parameters), hipSuccess);
    EXPECT_EQ(hipGraphHostNodeGetParams(fill, &got), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphHostNodeSetParams(node, &nothing), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphHostNodeSetParams(fill, &parameters), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphExecHostNodeSetParams(nullptr, node, &parameters), hipErrorInvalidValue);
    // Added after it was made executable.
    EXPECT_EQ(hipGraphExecHostNodeSetParams(exec, node, &parameters), hipErrorInvalidValue);
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipHostFunction, ItMayNotCallHip) {
  const Result r = run_one([] {
    hipError_t answer = hipSuccess;
    const auto calls = [](void* user_data) {
      *static_cast<hipError_t*>(user_data) = hipDeviceSynchronize();
    };
    EXPECT_EQ(hipLaunchHostFunc(nullptr, calls, &answer), hipSuccess);
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
    EXPECT_EQ(answer, hipErrorNotSupported);
  });
  ASSERT_THAT(kinds_of(r), ElementsAre(ReportKind::api_error));
  EXPECT_THAT(r.reports[0].message, HasSubstr("a host function calls HIP"));
}

// Pinned memory of two streams that nothing orders. The function writes as code of a plugin does.
TEST(HipHostFunction, RacesWithAnotherStream) {
  for (const bool ordered : {false, true}) {
    const Result r = run_one([ordered] {
      const hipStream_t here = new_stream();
      const hipStream_t there = new_stream();
      auto* const word = pinned_word();
      EXPECT_EQ(hipLaunchHostFunc(here, write_word, word), hipSuccess);
      if (ordered) order(here, there);
      launch_add(word, 1, word, 1, there);
      EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
    });
    if (ordered) {
      EXPECT_EQ(texts_of(r), "");
    } else {
      ASSERT_FALSE(r.reports.empty());
      EXPECT_EQ(r.reports[0].kind, ReportKind::data_race);
      EXPECT_THAT(texts_of(r), HasSubstr("a host function in a stream of rank 0"));
    }
  }
}

}  // namespace
}  // namespace rankle::sim::testing
