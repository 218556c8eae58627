// Graphs: operations with an order between them, recorded by a stream's capture (capture.h) or
// added one by one, and launched as often as one likes. The arguments of a kernel are those of the
// call that recorded it, in every launch. A graph inside of a graph is a copy; an executable graph
// holds the nodes of all of them in a row, with a place where each inner graph begins and ends.
//
// A launch is a fork and a join in its stream, like those that a program makes with events: between
// them the nodes run in branches, streams of the executable graph's own. Nodes that depend on each
// other in a row share a branch; whatever else orders two nodes, an edge has to say. So schedules
// may reorder what is unordered, and the race detector sees it as such.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "hip/hip_runtime_api.h"
#include "sim/stream.h"
#include "sim/thread.h"

namespace rankle::sim {

struct Graph;
struct GraphExec;
struct HostRank;

// A kernel with its configuration and a copy of its arguments, which ends with the last user.
struct FrozenKernel {
  explicit FrozenKernel(Launch made);
  ~FrozenKernel() { launch.destroy(launch.storage); }
  FrozenKernel(const FrozenKernel&) = delete;
  FrozenKernel& operator=(const FrozenKernel&) = delete;

  Launch launch;
  std::vector<void*> arguments;  // addresses of the copies
};

// Memory that an allocation node provides: the same address in each launch.
struct GraphMemory {
  std::uintptr_t address = 0;
  // In the order of the host's calls: a launch has allocated it, and no call has freed it since.
  bool live = false;
  const GraphExec* exec = nullptr;  // the one executable graph that may allocate it
};

struct Node {
  hipGraphNodeType type = hipGraphNodeTypeEmpty;
  int device = 0;
  Op op;  // what each launch puts into a branch; an empty node's is a wait
  std::shared_ptr<const FrozenKernel> kernel;
  std::shared_ptr<GraphMemory> memory;  // of allocation nodes, and of nodes that free such memory
  Graph* child = nullptr;               // of a node that stands for a graph; goes with the node
  const Node* source = nullptr;         // in an executable graph: the node that it was made from
  std::vector<std::uint32_t> after;     // indices of nodes of the same graph
};

struct Graph {
  int rank = 0;
  std::uintptr_t site = 0;  // of the creating call
  bool in_capture = false;  // no handle to it is out yet
  bool is_child = false;    // of a node, and goes with it
  bool destroyed = false;
  std::vector<std::unique_ptr<Node>> nodes;  // in the order in which they were added
  // Once destroyed: executable graphs tell their copies by these, so that none may be used again.
  std::vector<std::unique_ptr<Node>> former_nodes;
};

struct GraphExec {
  int rank = 0;
  std::uint32_t sequence = 0;  // of this rank's executable graphs
  std::uintptr_t site = 0;
  bool destroyed = false;
  bool frees_at_launch = false;          // hipGraphInstantiateFlagAutoFreeOnLaunch
  std::vector<Node> nodes;               // each behind those that it depends on
  std::vector<std::uint32_t> branch_of;  // parallel to it
  std::vector<Stream*> branches;
  const Op* last_join = nullptr;  // of the latest launch

  bool in_flight() const { return last_join != nullptr && !last_join->done; }
};

// The graphs of a run. Handles are compared and never followed before they are known.
class Graphs {
 public:
  void reset();

  Graph* create(int rank, std::uintptr_t site);
  Graph* find(hipGraph_t handle);
  // The node of a handle and its graph; two nullptr if there is none.
  struct Place {
    Graph* graph = nullptr;
    std::uint32_t index = 0;
  };
  Place find_node(hipGraphNode_t handle);
  void destroy(Graph& graph);
  // A copy for a node that stands for a graph. nullptr if a node allocates or frees memory, which
  // is allowed in no such graph.
  Graph* copy_as_child(const Graph& graph);

  // nullptr if the dependencies go round in a circle, or another executable graph may allocate the
  // memory of this one's nodes.
  GraphExec* instantiate(const Graph& graph, int rank, std::uintptr_t site);
  GraphExec* find_exec(hipGraphExec_t handle);
  void destroy(GraphExec& exec);
  // Replaces what the nodes do. `failed` is the node of `graph` that does not allow it.
  hipGraphExecUpdateResult update(GraphExec& exec, const Graph& graph, const Node** failed);
  // The executable graph's own copy of a node of the graph that it was made from; nullptr if there
  // is none. Launches that are queued keep what they were launched with: `retire` before a change.
  static Node* copy_of(GraphExec& exec, const Node& node);
  void retire(const GraphExec& exec, std::shared_ptr<const FrozenKernel> kernel);

  std::shared_ptr<GraphMemory> own(std::uintptr_t address);
  // nullptr if no graph provides the memory at this address.
  std::shared_ptr<GraphMemory> memory_at(std::uintptr_t address) const;

  const std::vector<std::unique_ptr<Graph>>& graphs() const { return graphs_; }
  const std::vector<std::unique_ptr<GraphExec>>& execs() const { return execs_; }

 private:
  void give_back_memory();

  std::vector<std::unique_ptr<Graph>> graphs_;
  std::vector<std::unique_ptr<GraphExec>> execs_;
  std::vector<std::shared_ptr<GraphMemory>> memory_;
  std::vector<Stream*> free_branches_;
  std::vector<std::shared_ptr<const FrozenKernel>> retired_;  // may still be running
};

Graphs& graphs();

// Queues one launch. hipErrorInvalidValue if memory of the launch before is still allocated.
hipError_t launch_graph(GraphExec& exec, HostRank& host, Stream& stream, std::uintptr_t pc);

// The live graph of a handle; for another handle than nullptr that names none, nullptr and an
// `api-error` that names the call.
Graph* graph_of(hipGraph_t handle, const char* call, std::uintptr_t pc);
GraphExec* exec_of(hipGraphExec_t handle, const char* call, std::uintptr_t pc);

inline hipGraph_t handle_of(Graph* graph) { return reinterpret_cast<hipGraph_t>(graph); }
inline hipGraphExec_t handle_of(GraphExec* exec) { return reinterpret_cast<hipGraphExec_t>(exec); }
inline hipGraphNode_t handle_of(const Node* node) {
  return reinterpret_cast<hipGraphNode_t>(const_cast<Node*>(node));
}

}  // namespace rankle::sim
