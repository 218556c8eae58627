// Graphs inside of graphs: added, nested, changed.
#include "tests/sim/graph_fixture.h"

namespace rankle::sim::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

hipGraphNode_t add_child(hipGraph_t graph, const std::vector<hipGraphNode_t>& after,
                         hipGraph_t child) {
  hipGraphNode_t node = nullptr;
  EXPECT_EQ(hipGraphAddChildGraphNode(&node, graph, after.data(), after.size(), child), hipSuccess);
  return node;
}

// Two fills that nothing orders: both come behind what is before the child and before what is
// behind it.
TEST(HipGraphChild, AllOfItIsBetweenWhatIsBeforeAndBehind) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Config config;
    config.policy = Policy::random;
    config.seed = seed;
    const Result r = run_one(
        [] {
          auto* const a = zeroed_array<std::uint32_t>(4);
          const hipGraph_t inner = new_graph();
          add_copy(inner, {}, a + 1, a);
          add_copy(inner, {}, a + 2, a);
          const hipGraph_t graph = new_graph();
          const hipGraphNode_t before = add_fill(graph, {}, a, 6, 1);
          const hipGraphNode_t child = add_child(graph, {before}, inner);
          add_fill(graph, {child}, a + 1, 8, 1);
          add_fill(graph, {child}, a, 9, 1);
          EXPECT_EQ(hipGraphDestroy(inner), hipSuccess);  // the node has a copy
          EXPECT_THAT(types_of(graph), ElementsAre(hipGraphNodeTypeMemset, hipGraphNodeTypeGraph,
                                                   hipGraphNodeTypeMemset, hipGraphNodeTypeMemset));
          const hipGraphExec_t exec = instantiated(graph);
          for (int i = 0; i < 2; ++i) {
            replay(exec, nullptr);
            EXPECT_THAT(host_copy(a, 3), ElementsAre(9U, 8U, 6U));
          }
        },
        config);
    EXPECT_EQ(texts_of(r), "");
  }
}

TEST(HipGraphChild, AnEmptyOneAndOneInsideOfAnotherKeepTheOrder) {
  const Result r = run_one([] {
    auto* const a = zeroed_array<std::uint32_t>(2);
    const hipGraph_t innermost = new_graph();
    add_copy(innermost, {}, a + 1, a);
    const hipGraph_t inner = new_graph();
    add_child(inner, {add_child(inner, {}, new_graph())}, innermost);
    const hipGraph_t graph = new_graph();
    const hipGraphNode_t child = add_child(graph, {add_fill(graph, {}, a, 3, 1)}, inner);
    add_fill(graph, {child}, a, 4, 1);
    replay(instantiated(graph), nullptr);
    EXPECT_THAT(host_copy(a, 2), ElementsAre(4U, 3U));
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipGraphChild, TheGraphOfANodeCanBeAskedForAndChangesTheNode) {
  const Result r = run_one([] {
    auto* const a = zeroed_array<std::uint32_t>(2);
    const hipGraph_t inner = new_graph();
    add_fill(inner, {}, a, 1, 1);
    const hipGraph_t graph = new_graph();
    const hipGraphNode_t node = add_child(graph, {}, inner);
    hipGraph_t child = nullptr;
    EXPECT_EQ(hipGraphChildGraphNodeGetGraph(node, &child), hipSuccess);
    EXPECT_NE(child, inner);
    add_fill(inner, {}, a + 1, 7, 1);  // the node does not see it
    const hipGraphExec_t exec = instantiated(graph);
    replay(exec, nullptr);
    EXPECT_THAT(host_copy(a, 2), ElementsAre(1U, 0U));
    const hipMemsetParams changed{a, 4, 1, 0, 2, 1};
    EXPECT_EQ(hipGraphExecMemsetNodeSetParams(exec, nodes_of(child)[0], &changed), hipSuccess);
    replay(exec, nullptr);
    EXPECT_THAT(host_copy(a, 2), ElementsAre(2U, 0U));
    add_fill(child, {}, a + 1, 3, 1);
    replay(instantiated(graph), nullptr);
    EXPECT_THAT(host_copy(a, 2), ElementsAre(1U, 3U));
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipGraphChild, AnUpdateGoesIntoIt) {
  const Result r = run_one([] {
    auto* const a = zeroed_array<std::uint32_t>(2);
    const auto around = [&](std::uint32_t value, std::size_t fills) {
      const hipGraph_t inner = new_graph();
      for (std::size_t i = 0; i < fills; ++i) add_fill(inner, {}, a + i, value, 1);
      const hipGraph_t graph = new_graph();
      add_child(graph, {}, inner);
      return graph;
    };
    const hipGraphExec_t exec = instantiated(around(1, 1));
    hipGraphNode_t failed = nullptr;
    hipGraphExecUpdateResult result = hipGraphExecUpdateError;
    EXPECT_EQ(hipGraphExecUpdate(exec, around(2, 1), &failed, &result), hipSuccess);
    EXPECT_EQ(hipGraphExecUpdate(exec, around(3, 2), &failed, &result),
              hipErrorGraphExecUpdateFailure);
    EXPECT_EQ(result, hipGraphExecUpdateErrorTopologyChanged);
    replay(exec, nullptr);
    EXPECT_THAT(host_copy(a, 2), ElementsAre(2U, 0U));
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipGraphChild, AGraphThatAllocatesIsNone) {
  const Result r = run_one([] {
    const hipStream_t stream = new_stream();
    std::uint32_t* scratch = nullptr;
    const hipGraph_t inner = captured(stream, [&] {
      EXPECT_EQ(hipMallocAsync(&scratch, 4, stream), hipSuccess);
      EXPECT_EQ(hipFreeAsync(scratch, stream), hipSuccess);
    });
    const hipGraph_t graph = new_graph();
    hipGraphNode_t node = nullptr;
    EXPECT_EQ(hipGraphAddChildGraphNode(&node, graph, nullptr, 0, inner), hipErrorNotSupported);
    EXPECT_TRUE(nodes_of(graph).empty());
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipGraphChild, CallsCheckWhatTheyAreGiven) {
  const Result r = run_one([] {
    const hipGraph_t graph = new_graph();
    const hipGraph_t inner = new_graph();
    hipGraphNode_t empty = nullptr;
    hipGraphNode_t node = nullptr;
    hipGraph_t child = nullptr;
    EXPECT_EQ(hipGraphAddEmptyNode(&empty, graph, nullptr, 0), hipSuccess);
    EXPECT_EQ(hipGraphAddChildGraphNode(&node, graph, nullptr, 0, nullptr), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphAddChildGraphNode(&node, nullptr, nullptr, 0, inner), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphAddChildGraphNode(nullptr, graph, nullptr, 0, inner), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphAddChildGraphNode(&node, graph, nullptr, 1, inner), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphChildGraphNodeGetGraph(empty, &child), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphAddChildGraphNode(&node, graph, nullptr, 0, inner), hipSuccess);
    EXPECT_EQ(hipGraphChildGraphNodeGetGraph(node, nullptr), hipErrorInvalidValue);
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipGraphChild, ItGoesWithItsNodeAndNotBefore) {
  const Result r = run_one([] {
    const hipGraph_t graph = new_graph();
    const hipGraphNode_t node = add_child(graph, {}, new_graph());
    hipGraph_t child = nullptr;
    EXPECT_EQ(hipGraphChildGraphNodeGetGraph(node, &child), hipSuccess);
    EXPECT_EQ(hipGraphDestroy(child), hipErrorInvalidValue);
    replay(instantiated(graph), nullptr);
    EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
    std::size_t count = 0;
    EXPECT_EQ(hipGraphGetNodes(child, nullptr, &count), hipErrorInvalidValue);
  });
  ASSERT_EQ(r.reports.size(), 2U) << texts_of(r);
  EXPECT_THAT(r.reports[0].message, HasSubstr("hipGraphDestroy of a graph that belongs to a node"));
  EXPECT_THAT(r.reports[1].message, HasSubstr("hipGraphGetNodes of a graph that does not exist"));
}

TEST(HipGraphChild, ItIsNoLeakOfItsOwn) {
  Config config;
  const Result r = run(config, [](int) {
    const hipGraph_t inner = new_graph();
    add_child(new_graph(), {}, inner);
    EXPECT_EQ(hipGraphDestroy(inner), hipSuccess);
  });
  ASSERT_EQ(r.reports.size(), 1U) << texts_of(r);
  EXPECT_THAT(r.reports[0].message, HasSubstr("has not destroyed a graph"));
}

}  // namespace
}  // namespace rankle::sim::testing
