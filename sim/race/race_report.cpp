// From two unordered accesses to a report: which kind, and which edge is at fault.
#include "sim/race/race_report.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "sim/race/detector.h"

namespace rankle::sim::race {
namespace {

// Stands for both kinds of hand-off: which of the two is known only after the edge has been found.
constexpr RaceKind kHandoff = RaceKind::relaxed_handoff;

}  // namespace

std::string_view name_of(RaceKind kind) {
  switch (kind) {
    case RaceKind::data_race:
      return "data-race";
    case RaceKind::scope_race:
      return "scope-race";
    case RaceKind::relaxed_handoff:
      return "relaxed-handoff";
    case RaceKind::wave_synchronous:
      return "wave-synchronous";
  }
  return "";
}

std::string_view name_of(Scope scope) {
  constexpr std::string_view kNames[] = {"wave", "block", "device", "system"};
  return kNames[static_cast<int>(scope)];
}

std::string_view name_of(Order order) {
  constexpr std::string_view kNames[] = {"relaxed", "acquire", "release", "acq_rel", "seq_cst"};
  return kNames[static_cast<int>(order)];
}

bool RaceDetector::is_seen_ordered(const Thread& thread, Who who, Clock clock) const {
  if (who == thread.who) return true;
  const std::uint32_t block = block_of(who);
  if (block == thread.block->id) {
    if (phase_of(clock) < thread.block->phase) return true;
    return thread.own.seen && (clock | kWriteBit) <= thread.own.seen->clock_known(who);
  }
  return seen_of(thread)->knows(blocks_[block], who, clock);
}

// The latest edge that failed, leads away from the earlier access, and leads to the later one.
const FailedEdge* RaceDetector::edge_at_fault(const Thread& thread, const Stamp& old) const {
  const BlockInfo& info = blocks_[block_of(old.who)];
  const std::deque<FailedEdge>& edges = failed_.all();
  for (auto edge = edges.rbegin(); edge != edges.rend(); ++edge) {
    if (edge->is_mended || !edge->seen.covers(info, old.who, old.clock)) continue;
    if (is_seen_ordered(thread, edge->reader, edge->reader_clock)) return &*edge;
  }
  return nullptr;
}

bool RaceDetector::is_first(SiteId earlier, SiteId later, RaceKind kind) {
  if (!options_.once) return true;
  const std::uint64_t key =
      std::uint64_t{earlier} << 32 | std::uint64_t{later} << 8 | static_cast<std::uint64_t>(kind);
  return reported_.insert(key).second;
}

Party RaceDetector::party(Who who, SiteId site) const {
  const BlockInfo& info = blocks_[block_of(who)];
  const OpStart& op = ops_[info.op].start;
  Party party;
  party.pc = sites_.pc_of(site);
  party.rank = op.rank;
  party.device = info.device;
  party.tag = op.tag;
  party.block = info.index;
  party.thread = thread_of(who);
  return party;
}

void RaceDetector::conflict(const Probe& probe, const Stamp& old, bool is_old_atomic) {
  const Thread& thread = probe.thread;
  const Scope level = distance(old.who, thread.who);
  if (level == Scope::wave && is_wave_fenced(thread, old)) return;
  RaceReport report;
  report.level = level;
  const FailedEdge* edge = nullptr;
  bool is_cut_off = false;
  if (is_seen_ordered(thread, old.who, old.clock)) {
    // Where a kernel relies on such hand-offs they come in thousands: look the edge up but once.
    if (!is_first(old.site(), probe.stamp.site(), kHandoff)) return;
    edge = edge_at_fault(thread, old);
    is_cut_off =
        edge != nullptr && edge->is_cut_off(blocks_[block_of(old.who)], old.who, old.clock);
    report.kind = is_cut_off || (edge != nullptr && edge->scope_falls_short())
                      ? RaceKind::scope_race
                      : RaceKind::relaxed_handoff;
  } else {
    report.kind = level == Scope::wave ? RaceKind::wave_synchronous : RaceKind::data_race;
    if (!is_first(old.site(), probe.stamp.site(), report.kind)) return;
  }
  const unsigned common = old.mask() & probe.stamp.mask();
  const int first = std::countr_zero(common);
  report.address = probe.address + static_cast<unsigned>(first);
  report.bytes = static_cast<std::size_t>(std::bit_width(common) - first);
  report.earlier = party(old.who, old.site());
  report.earlier.is_write = old.is_write();
  report.earlier.is_atomic = is_old_atomic;
  report.later = party(thread.who, probe.stamp.site());
  report.later.is_write = probe.stamp.is_write();
  report.later.is_atomic = probe.is_atomic;
  if (edge != nullptr) {
    report.edge = MissingEdge{
        edge->address,
        {party(edge->writer, edge->writer_site), edge->writer_order, edge->writer_scope},
        {party(edge->reader, edge->reader_site), edge->reader_order, edge->reader_scope},
        is_cut_off ? std::max(edge->distance, edge->cut) : edge->distance,
        is_cut_off || edge->scope_falls_short(),
        edge->lacks_release && !is_cut_off,
        edge->lacks_acquire};
  }
  found_.push_back(report);
}

// Last thing in an access, because the sink may end the thread that accesses.
void RaceDetector::deliver() {
  while (!found_.empty()) {
    const RaceReport report = found_.front();
    found_.erase(found_.begin());
    if (sink_) sink_(report);
  }
}

}  // namespace rankle::sim::race
