// Graphs, their branches, and what a launch puts into them (graph.h).
#include "sim/graph.h"

#include <algorithm>
#include <optional>

#include "sim/engine.h"
#include "sim/memory.h"

namespace rankle::sim {
namespace {

constexpr std::uint32_t kNoBranch = ~std::uint32_t{0};

// The nodes so that each comes behind those that it depends on, and otherwise in the order in which
// they were added. Nothing if the dependencies go round in a circle.
std::optional<std::vector<std::uint32_t>> sorted(const Graph& graph) {
  const std::size_t count = graph.nodes.size();
  std::vector<std::uint32_t> order;
  std::vector<bool> is_in(count);
  while (order.size() < count) {
    const std::size_t before = order.size();
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::vector<std::uint32_t>& after = graph.nodes[i]->after;
      const bool ready = std::all_of(after.begin(), after.end(), [&](auto j) { return is_in[j]; });
      if (is_in[i] || !ready) continue;
      is_in[i] = true;
      order.push_back(i);
    }
    if (order.size() == before) return std::nullopt;
  }
  return order;
}

// A node of the graph as an executable graph keeps it.
std::vector<Node> in_order(const Graph& graph, const std::vector<std::uint32_t>& order) {
  std::vector<std::uint32_t> place(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  std::vector<Node> nodes;
  nodes.reserve(order.size());
  for (const std::uint32_t index : order) {
    nodes.push_back(*graph.nodes[index]);
    for (std::uint32_t& after : nodes.back().after) after = place[after];
    std::sort(nodes.back().after.begin(), nodes.back().after.end());
  }
  return nodes;
}

// A node goes on with the branch of a node that it depends on and that is the last there so far.
// Only so does a branch order nothing that the edges leave open. Returns the device of each branch.
std::vector<int> assign_branches(GraphExec& exec) {
  std::vector<int> devices;
  std::vector<std::uint32_t> last;  // node of each branch
  exec.branch_of.clear();
  for (std::uint32_t i = 0; i < exec.nodes.size(); ++i) {
    const Node& node = exec.nodes[i];
    std::uint32_t branch = kNoBranch;
    for (const std::uint32_t earlier : node.after) {
      const std::uint32_t candidate = exec.branch_of[earlier];
      if (last[candidate] != earlier || devices[candidate] != node.device) continue;
      branch = candidate;
      break;
    }
    if (branch == kNoBranch) {
      branch = static_cast<std::uint32_t>(devices.size());
      devices.push_back(node.device);
      last.push_back(i);
    }
    last[branch] = i;
    exec.branch_of.push_back(branch);
  }
  return devices;
}

bool allocates(const Node& node) { return node.type == hipGraphNodeTypeMemAlloc; }

hipGraphExecUpdateResult compare(const Node& old, const Node& now) {
  if (old.type != now.type) return hipGraphExecUpdateErrorNodeTypeChanged;
  if (old.after != now.after) return hipGraphExecUpdateErrorTopologyChanged;
  if (now.type == hipGraphNodeTypeKernel) {
    if (old.kernel->launch.kernel != now.kernel->launch.kernel) {
      return hipGraphExecUpdateErrorFunctionChanged;
    }
    if (old.device != now.device) return hipGraphExecUpdateErrorUnsupportedFunctionChange;
    if (old.kernel->launch.cooperative != now.kernel->launch.cooperative) {
      return hipGraphExecUpdateErrorNotSupported;
    }
  }
  const bool moves_memory = old.memory != now.memory;
  if (old.device != now.device || moves_memory) return hipGraphExecUpdateErrorParametersChanged;
  return hipGraphExecUpdateSuccess;
}

// One kernel of a launch: its arguments belong to the graph.
Launch* launch_of(const Node& node, HostRank& host) {
  auto launch = std::make_unique<Launch>(node.kernel->launch);
  launch->rank = host.rank;
  launch->sequence = host.launches++;
  launch->destroy = [](void*) {};
  return Engine::instance().keep(std::move(launch));
}

void note_memory(GraphExec& exec) {
  for (const Node& node : exec.nodes) {
    if (node.memory != nullptr) node.memory->live = allocates(node);
  }
}

}  // namespace

Graphs& graphs() {
  static Graphs the_graphs;
  return the_graphs;
}

void Graphs::reset() { *this = Graphs{}; }

Graph* Graphs::create(int rank, std::uintptr_t site) {
  graphs_.push_back(std::make_unique<Graph>());
  graphs_.back()->rank = rank;
  graphs_.back()->site = site;
  return graphs_.back().get();
}

Graph* Graphs::find(hipGraph_t handle) {
  for (const std::unique_ptr<Graph>& graph : graphs_) {
    if (handle_of(graph.get()) != handle) continue;
    return graph->destroyed || graph->in_capture ? nullptr : graph.get();
  }
  return nullptr;
}

Graphs::Place Graphs::find_node(hipGraphNode_t handle) {
  for (const std::unique_ptr<Graph>& graph : graphs_) {
    for (std::uint32_t i = 0; i < graph->nodes.size(); ++i) {
      if (handle_of(graph->nodes[i].get()) == handle) return {graph.get(), i};
    }
  }
  return {};
}

void Graphs::destroy(Graph& graph) {
  graph.destroyed = true;
  graph.nodes.clear();
  give_back_memory();
}

GraphExec* Graphs::instantiate(const Graph& graph, int rank, std::uintptr_t site) {
  const std::optional<std::vector<std::uint32_t>> order = sorted(graph);
  if (!order) return nullptr;
  for (const std::unique_ptr<Node>& node : graph.nodes) {
    if (allocates(*node) && node->memory->exec != nullptr) return nullptr;
  }
  const auto sequence = static_cast<std::uint32_t>(std::count_if(
      execs_.begin(), execs_.end(), [rank](const auto& exec) { return exec->rank == rank; }));
  execs_.push_back(std::make_unique<GraphExec>());
  GraphExec& exec = *execs_.back();
  exec.rank = rank;
  exec.sequence = sequence;
  exec.site = site;
  exec.nodes = in_order(graph, *order);
  for (const Node& node : exec.nodes) {
    if (allocates(node)) node.memory->exec = &exec;
  }
  for (const int device : assign_branches(exec)) {
    Stream* free = nullptr;
    if (!free_branches_.empty()) {
      free = free_branches_.back();
      free_branches_.pop_back();
    }
    const auto index = static_cast<std::uint32_t>(exec.branches.size());
    exec.branches.push_back(
        Engine::instance().make_branch(free, rank, device, sequence << 12 | index));
  }
  return &exec;
}

GraphExec* Graphs::find_exec(hipGraphExec_t handle) {
  for (const std::unique_ptr<GraphExec>& exec : execs_) {
    if (handle_of(exec.get()) == handle) return exec->destroyed ? nullptr : exec.get();
  }
  return nullptr;
}

void Graphs::destroy(GraphExec& exec) {
  exec.destroyed = true;
  for (const Node& node : exec.nodes) {
    if (allocates(node)) node.memory->exec = nullptr;
    if (exec.in_flight() && node.kernel != nullptr) retired_.push_back(node.kernel);
  }
  if (!exec.in_flight()) {
    free_branches_.insert(free_branches_.end(), exec.branches.rbegin(), exec.branches.rend());
  }
  exec.branches.clear();
  exec.nodes.clear();
  give_back_memory();
}

hipGraphExecUpdateResult Graphs::update(GraphExec& exec, const Graph& graph, const Node** failed) {
  *failed = nullptr;
  const std::optional<std::vector<std::uint32_t>> order = sorted(graph);
  if (!order || order->size() != exec.nodes.size()) return hipGraphExecUpdateErrorTopologyChanged;
  std::vector<Node> nodes = in_order(graph, *order);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const hipGraphExecUpdateResult result = compare(exec.nodes[i], nodes[i]);
    if (result == hipGraphExecUpdateSuccess) continue;
    *failed = graph.nodes[(*order)[i]].get();
    return result;
  }
  if (exec.in_flight()) {
    for (const Node& node : exec.nodes) {
      if (node.kernel != nullptr) retired_.push_back(node.kernel);
    }
  }
  exec.nodes = std::move(nodes);
  return hipGraphExecUpdateSuccess;
}

std::shared_ptr<GraphMemory> Graphs::own(std::uintptr_t address) {
  memory_.push_back(std::make_shared<GraphMemory>());
  memory_.back()->address = address;
  return memory_.back();
}

std::shared_ptr<GraphMemory> Graphs::memory_at(std::uintptr_t address) const {
  for (const std::shared_ptr<GraphMemory>& owned : memory_) {
    if (owned->address == address) return owned;
  }
  return nullptr;
}

// Memory that no graph can allocate any more, and that is not allocated now, goes.
void Graphs::give_back_memory() {
  std::erase_if(memory_, [](const std::shared_ptr<GraphMemory>& owned) {
    const bool unused = owned.use_count() == 1 && memory().find(owned->address)->pending;
    if (unused && !owned->live) memory().release(owned->address);
    return unused && !owned->live;
  });
}

hipError_t launch_graph(GraphExec& exec, HostRank& host, Stream& stream, std::uintptr_t pc) {
  Engine& engine = Engine::instance();
  for (const Node& node : exec.nodes) {
    const bool held = allocates(node) && node.memory->live;
    if (held && !exec.frees_at_launch) return hipErrorInvalidValue;
  }
  note_memory(exec);
  Op fork;
  fork.kind = OpKind::fork;
  fork.site = pc;
  if (exec.last_join != nullptr) fork.after.push_back(exec.last_join);
  const Op* const begin = engine.enqueue(&stream, fork);
  Op join;
  join.kind = OpKind::join;
  join.site = pc;
  std::vector<const Op*> queued;
  std::vector<bool> has_successor(exec.nodes.size());
  for (std::size_t i = 0; i < exec.nodes.size(); ++i) {
    const Node& node = exec.nodes[i];
    Op op = node.op;
    if (node.after.empty()) op.after.push_back(begin);
    for (const std::uint32_t earlier : node.after) {
      op.after.push_back(queued[earlier]);
      has_successor[earlier] = true;
    }
    if (node.kernel != nullptr) op.launch = launch_of(node, host);
    Op* const made = engine.enqueue(exec.branches[exec.branch_of[i]], op);
    if (made->launch != nullptr) made->launch->op = made;
    queued.push_back(made);
  }
  for (std::size_t i = 0; i < queued.size(); ++i) {
    if (!has_successor[i]) join.after.push_back(queued[i]);
  }
  exec.last_join = engine.enqueue(&stream, join);
  return hipSuccess;
}

}  // namespace rankle::sim
