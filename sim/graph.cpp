// Graphs, their branches, and what a launch puts into them (graph.h).
#include "sim/graph.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "sim/engine.h"
#include "sim/kernel_types.h"
#include "sim/memory.h"
#include "sim_device/launch.h"

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

// The nodes from `first` on that no other is behind.
std::vector<std::uint32_t> last_of(const std::vector<Node>& all, std::uint32_t first) {
  std::vector<bool> has_successor(all.size());
  for (std::size_t i = first; i < all.size(); ++i) {
    for (const std::uint32_t earlier : all[i].after) has_successor[earlier] = true;
  }
  std::vector<std::uint32_t> last;
  for (std::uint32_t i = first; i < all.size(); ++i) {
    if (!has_successor[i]) last.push_back(i);
  }
  return last;
}

Node place(const Node& source, std::vector<std::uint32_t> after) {
  Node node;
  node.device = source.device;
  node.op.kind = OpKind::wait;
  node.op.site = source.op.site;
  node.source = &source;
  node.after = std::move(after);
  return node;
}

// Appends the nodes of a graph as an executable graph keeps them, those that come first behind the
// node `begin`, if there is one. False if the dependencies go round in a circle.
bool append(const Graph& graph, const std::vector<std::uint32_t>& begin, std::vector<Node>& all) {
  const std::optional<std::vector<std::uint32_t>> order = sorted(graph);
  if (!order) return false;
  std::vector<std::uint32_t> end_of(graph.nodes.size());
  for (const std::uint32_t index : *order) {
    const Node& source = *graph.nodes[index];
    std::vector<std::uint32_t> after;
    after.reserve(source.after.size());
    for (const std::uint32_t earlier : source.after) after.push_back(end_of[earlier]);
    std::sort(after.begin(), after.end());
    if (after.empty()) after = begin;
    if (source.child == nullptr) {
      all.push_back(source);
      all.back().source = &source;
      all.back().after = std::move(after);
    } else {
      const auto first = static_cast<std::uint32_t>(all.size());
      all.push_back(place(source, std::move(after)));
      if (!append(*source.child, {first}, all)) return false;
      all.push_back(place(source, last_of(all, first)));
    }
    end_of[index] = static_cast<std::uint32_t>(all.size() - 1);
  }
  return true;
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

bool moves_memory(const Node& node) {
  return node.type == hipGraphNodeTypeMemAlloc || node.type == hipGraphNodeTypeMemFree;
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
  if (old.device != now.device || old.memory != now.memory) {
    return hipGraphExecUpdateErrorParametersChanged;
  }
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

FrozenKernel::FrozenKernel(Launch made) : launch(std::move(made)) {
  const rankle_sim_kernel_type* const type = type_of_kernel(launch.kernel);
  if (type == nullptr) return;
  arguments.resize(type->arguments);
  type->point(launch.storage, arguments.data());
}

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
  for (const std::unique_ptr<Node>& node : graph.nodes) {
    if (node->child != nullptr) destroy(*node->child);
  }
  graph.former_nodes = std::exchange(graph.nodes, {});
  for (const std::unique_ptr<Node>& node : graph.former_nodes) {
    node->kernel = nullptr;
    node->memory = nullptr;
  }
  give_back_memory();
}

Graph* Graphs::copy_as_child(const Graph& graph) {
  Graph* const copy = create(graph.rank, graph.site);
  copy->is_child = true;
  for (const std::unique_ptr<Node>& node : graph.nodes) {
    copy->nodes.push_back(std::make_unique<Node>(*node));
    Node& made = *copy->nodes.back();
    if (node->child != nullptr) made.child = copy_as_child(*node->child);
    const bool refused = moves_memory(*node) || (node->child != nullptr && made.child == nullptr);
    if (!refused) continue;
    destroy(*copy);
    return nullptr;
  }
  return copy;
}

GraphExec* Graphs::instantiate(const Graph& graph, int rank, std::uintptr_t site) {
  std::vector<Node> nodes;
  if (!append(graph, {}, nodes)) return nullptr;
  for (const Node& node : nodes) {
    if (allocates(node) && node.memory->exec != nullptr) return nullptr;
  }
  const auto sequence = static_cast<std::uint32_t>(std::count_if(
      execs_.begin(), execs_.end(), [rank](const auto& exec) { return exec->rank == rank; }));
  execs_.push_back(std::make_unique<GraphExec>());
  GraphExec& exec = *execs_.back();
  exec.rank = rank;
  exec.sequence = sequence;
  exec.site = site;
  exec.nodes = std::move(nodes);
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
    retire(exec, node.kernel);
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
  std::vector<Node> nodes;
  if (!append(graph, {}, nodes) || nodes.size() != exec.nodes.size()) {
    return hipGraphExecUpdateErrorTopologyChanged;
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const hipGraphExecUpdateResult result = compare(exec.nodes[i], nodes[i]);
    if (result == hipGraphExecUpdateSuccess) continue;
    *failed = nodes[i].source;
    return result;
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    retire(exec, exec.nodes[i].kernel);
    nodes[i].source = exec.nodes[i].source;
  }
  exec.nodes = std::move(nodes);
  return hipGraphExecUpdateSuccess;
}

// Where an inner graph begins and ends there are two; neither has anything to change.
Node* Graphs::copy_of(GraphExec& exec, const Node& node) {
  const auto found = std::find_if(exec.nodes.begin(), exec.nodes.end(),
                                  [&node](const Node& copy) { return copy.source == &node; });
  return found == exec.nodes.end() ? nullptr : &*found;
}

void Graphs::retire(const GraphExec& exec, std::shared_ptr<const FrozenKernel> kernel) {
  if (exec.in_flight() && kernel != nullptr) retired_.push_back(std::move(kernel));
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
