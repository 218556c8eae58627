// Edges of the engine for the race detector, and its findings in words.
#include "sim/race_feed.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "sim/engine.h"
#include "sim/shared_memory.h"
#include "sim/symbols.h"
#include "sim/weak_memory.h"

namespace rankle::sim {
namespace {

ReportKind kind_of(race::RaceKind kind) {
  switch (kind) {
    case race::RaceKind::scope_race:
      return ReportKind::scope_race;
    case race::RaceKind::relaxed_handoff:
      return ReportKind::relaxed_handoff;
    case race::RaceKind::wave_synchronous:
      return ReportKind::wave_synchronous;
    case race::RaceKind::data_race:
      break;
  }
  return ReportKind::data_race;
}

// What the detector is given with an operation and gives back: its kind and the step that queued
// it.
constexpr int kStepShift = 8;

std::uint64_t tag_of(const Op& op) {
  return static_cast<std::uint64_t>(op.step + 1) << kStepShift |
         static_cast<std::uint64_t>(op.kind);
}

OpKind kind_of(const race::Party& party) { return static_cast<OpKind>(party.tag & 0xff); }

int step_of(const race::Party& party) { return static_cast<int>(party.tag >> kStepShift) - 1; }

// A host and a copy are blocks of one thread to the detector.
bool is_kernel(const race::Party& party) {
  return party.device >= 0 && kind_of(party) == OpKind::kernel;
}

ThreadId id_of(const race::Party& party) {
  if (!is_kernel(party)) return {party.rank, -1, -1, step_of(party)};
  return {party.rank, static_cast<int>(party.block), static_cast<int>(party.thread),
          step_of(party)};
}

std::string name_of(const race::Party& party) {
  if (is_kernel(party) || party.device < 0) return text_of(id_of(party));
  const OpKind kind = kind_of(party);
  const char* const what = kind == OpKind::fill       ? "a fill"
                           : kind == OpKind::function ? "a host function"
                                                      : "a copy";
  return fmt::format("{} in a stream of rank {}", what, party.rank);
}

std::string access_of(const race::Party& party) {
  return fmt::format("{}{}", party.is_atomic ? "atomically " : "",
                     party.is_write ? "writes" : "reads");
}

std::string flag_text(const race::FlagAccess& flag, const char* verb) {
  return fmt::format("{} {} it with {} order at {} scope, at {}", name_of(flag.who), verb,
                     race::name_of(flag.order), race::name_of(flag.scope), place_of(flag.who.pc));
}

std::string role_of(const race::Party& party, std::size_t bytes) {
  return fmt::format("{} {} bytes of the data", access_of(party), bytes);
}

std::string role_of(const race::FlagAccess& flag, const char* what) {
  return fmt::format("{} ({}, {} scope)", what, race::name_of(flag.order),
                     race::name_of(flag.scope));
}

const char* missing_text(const race::RaceReport& found) {
  if (found.kind == race::RaceKind::wave_synchronous) {
    return "they are lanes of one wave with no __syncwarp() or fence between them: only lockstep "
           "would order them";
  }
  switch (found.level) {
    case race::Scope::wave:
    case race::Scope::block:
      return "no barrier of their block, and no flag that either has seen, orders the two";
    case race::Scope::device:
      return "no flag that either has seen, and no kernel boundary, orders the two";
    case race::Scope::system:
      break;
  }
  return "no flag that either has seen, and no kernel boundary or event, orders the two";
}

std::vector<std::string> edge_text(const race::MissingEdge& edge) {
  std::vector<std::string> lines{
      fmt::format("the only order between them is a flag, {}", memory().describe(edge.flag)),
      flag_text(edge.writer, "writes"), flag_text(edge.reader, "reads")};
  if (edge.scope_falls_short) {
    lines.push_back(
        fmt::format("the two are a {} apart: the flag, and a fence in place of its "
                    "order, needs {} scope on both sides",
                    race::name_of(edge.distance), race::name_of(edge.distance)));
  }
  if (edge.lacks_release) {
    lines.emplace_back("the write does not release what was written before it");
  }
  if (edge.lacks_acquire) lines.emplace_back("the read does not acquire it");
  return lines;
}

}  // namespace

race::RaceDetector* g_races = nullptr;

race::Order race_order(int c_order) {
  switch (c_order) {
    case __ATOMIC_RELAXED:
      return race::Order::relaxed;
    case __ATOMIC_CONSUME:
    case __ATOMIC_ACQUIRE:
      return race::Order::acquire;
    case __ATOMIC_RELEASE:
      return race::Order::release;
    case __ATOMIC_ACQ_REL:
      return race::Order::acq_rel;
    default:
      return race::Order::seq_cst;
  }
}

race::Scope race_scope(int hip_scope) {
  switch (hip_scope) {
    case 1:  // __HIP_MEMORY_SCOPE_SINGLETHREAD, which only device compilers know by name
    case 2:  // ..._WAVEFRONT
      return race::Scope::wave;
    case 3:  // ..._WORKGROUP
      return race::Scope::block;
    case 4:  // ..._AGENT
      return race::Scope::device;
    default:
      return race::Scope::system;
  }
}

void race_atomic(AtomicAccess access, const volatile void* pointer, int bytes, int c_order,
                 int hip_scope, std::uintptr_t pc) {
  if (g_hot.actor == nullptr) return;
  const std::uintptr_t address = owner_address(reinterpret_cast<std::uintptr_t>(pointer));
  const auto size = static_cast<std::size_t>(bytes);
  const race::Order order = race_order(c_order);
  const race::Scope scope = race_scope(hip_scope);
  switch (access) {
    case AtomicAccess::load:
      return g_races->atomic_load(g_hot.actor, address, size, order, scope, pc);
    case AtomicAccess::store:
      return g_races->atomic_store(g_hot.actor, address, size, order, scope, pc);
    case AtomicAccess::rmw:
      return g_races->atomic_rmw(g_hot.actor, address, size, order, scope, pc);
  }
}

void race_fence(int c_order, int hip_scope) {
  if (g_hot.actor == nullptr) return;
  g_races->fence(g_hot.actor, race_order(c_order), race_scope(hip_scope));
}

void forget_accesses(std::uintptr_t address, std::size_t bytes) {
  if (Engine::instance().config().detect_races) g_races->reset(address, bytes);
  if (g_hot.weak) g_weak.forget(address, bytes);
}

void Engine::begin_races() {
  g_hot.actor = nullptr;
  if (!config_.detect_races) return;
  if (g_races == nullptr) g_races = new race::RaceDetector;
  g_races->begin_run([this](const race::RaceReport& found) { report_race(found); });
}

void Engine::report_race(const race::RaceReport& found) {
  Severity severity = Severity::error;
  if (found.kind == race::RaceKind::relaxed_handoff) severity = config_.relaxed_handoff;
  if (found.kind == race::RaceKind::wave_synchronous) severity = config_.wave_synchronous;
  if (severity == Severity::off) return;
  Telling telling;
  telling.kind = kind_of(found.kind);
  telling.severity = severity;
  std::string& message = telling.message;
  std::vector<std::string>& details = telling.details;
  // Most telling first: the later access, the earlier one, then the two sides of the flag.
  std::vector<SiteRef> sites{{found.later.pc, id_of(found.later)},
                             {found.earlier.pc, id_of(found.earlier)}};
  on_main_stack([&] {
    message =
        fmt::format("{} {} {} bytes of {}, which {} {} at {}", name_of(found.later),
                    access_of(found.later), found.bytes, memory().describe(found.address),
                    name_of(found.earlier), access_of(found.earlier), place_of(found.earlier.pc));
    if (found.edge) {
      details = edge_text(*found.edge);
    } else if (found.kind == race::RaceKind::relaxed_handoff) {
      details.emplace_back("the flag between them lacks release, acquire or scope");
    } else {
      details.emplace_back(missing_text(found));
    }
  });
  telling.roles = {role_of(found.later, found.bytes), role_of(found.earlier, found.bytes)};
  if (found.edge) {
    sites.push_back({found.edge->reader.who.pc, id_of(found.edge->reader.who)});
    sites.push_back({found.edge->writer.who.pc, id_of(found.edge->writer.who)});
    telling.roles.push_back(role_of(found.edge->reader, "sees the flag"));
    telling.roles.push_back(role_of(found.edge->writer, "sets the flag"));
  }
  report(std::move(telling), sites);
}

// --- edges ---

void Engine::race_enqueue(Op& op) {
  if (g_hot.actor != nullptr) op.race.queued = g_races->release(g_hot.actor);
}

void Engine::race_op_begin(Op& op) {
  if (!config_.detect_races) return;
  Stream& stream = *op.stream;
  if (stream.race_chain == 0) stream.race_chain = g_races->new_chain();
  std::vector<const race::Token*> after;
  if (op.race.queued) after.push_back(&op.race.queued);
  for (const Op* earlier : op.race.behind) {
    if (earlier->race.ended) after.push_back(&earlier->race.ended);
  }
  op.race.op =
      g_races->op_begin({stream.race_chain, stream.rank, stream.device, tag_of(op)}, after);
}

void Engine::race_op_end(Op& op) {
  if (op.race.op != nullptr) op.race.ended = g_races->op_ended(op.race.op);
  op.race.op = nullptr;
}

void Engine::race_block_begin(Block& block) {
  Op& op = *block.launch->op;
  if (op.race.op == nullptr) return;
  const auto threads = static_cast<std::uint32_t>(block.threads.size());
  block.race = g_races->block_started(op.race.op, block.index, threads,
                                      static_cast<std::uint32_t>(config_.wave));
  for (Wave& wave : block.waves) {
    wave.actors = g_races->thread(block.race, wave.threads[0].index);
  }
}

void Engine::race_block_end(Block& block) {
  if (block.race == nullptr) return;
  g_races->block_ended(block.race);
  block.race = nullptr;
}

void Engine::race_rendezvous(const std::vector<Thread*>& threads) {
  if (!config_.detect_races) return;
  std::vector<race::Thread*> actors;
  actors.reserve(threads.size());
  for (const Thread* thread : threads) actors.push_back(thread->wave->actors + thread->lane);
  g_races->rendezvous(actors);
}

void Engine::race_hosts_meet() {
  if (!config_.detect_races) return;
  std::vector<race::Thread*> actors;
  actors.reserve(hosts_.size());
  for (const std::unique_ptr<HostRank>& host : hosts_) actors.push_back(host->actor);
  g_races->rendezvous(actors);
}

void Engine::host_saw(const Op* op) {
  if (g_hot.actor != nullptr && op != nullptr && op->race.ended) {
    g_races->acquire(g_hot.actor, op->race.ended);
  }
}

void Engine::host_saw_device(int device) {
  for (const std::unique_ptr<Stream>& stream : streams_) {
    if (stream->device == device) host_saw(stream->last);
  }
}

}  // namespace rankle::sim
