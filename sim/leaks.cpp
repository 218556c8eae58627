// What a rank has left behind when its function has returned: allocations, streams, events, graphs,
// open IPC mappings and registered memory. One report for each line of code that made something.
#include <fmt/format.h>

#include <algorithm>

#include "sim/capture.h"
#include "sim/engine.h"
#include "sim/host_memory.h"
#include "sim/windows.h"

namespace rankle::sim {
namespace {

constexpr std::size_t kOthersShown = 8;

struct Leak {
  std::uintptr_t site = 0;
  int rank = 0;
  std::string what;
};

std::string text_of(const Allocation& a) {
  const std::string name = a.label.empty() ? "an allocation" : fmt::format("'{}'", a.label);
  const std::string where =
      a.region == kHostRegion ? "of pinned host memory" : fmt::format("on device {}", a.region);
  return fmt::format("has not freed {} ({} bytes {})", name, a.bytes, where);
}

}  // namespace

void Engine::report_leaks() {
  std::vector<Leak> leaks;
  for (const Allocation& a : memory().allocations()) {
    if (a.rank < 0 || a.freed) continue;
    if (a.pending && graphs().memory_at(a.begin) != nullptr) continue;  // no launch has it now
    leaks.push_back({a.site, a.rank, text_of(a)});
  }
  for (const Mapping& m : windows().mappings()) {
    if (m.opened == 0) continue;
    leaks.push_back({m.site, m.rank,
                     fmt::format("has not closed its IPC mapping of {}",
                                 memory().describe(owner_address(m.begin)))});
  }
  for (const Registration& r : registrations()) {
    leaks.push_back(
        {r.site, r.rank, fmt::format("has not unregistered {} bytes of host memory", r.bytes)});
  }
  for (const std::unique_ptr<Stream>& s : streams_) {
    if (s->destroyed || s->is_default) continue;
    leaks.push_back({s->site, s->rank, fmt::format("has not destroyed its stream {}", s->index)});
  }
  for (const std::unique_ptr<Event>& e : events_) {
    if (!e->destroyed) leaks.push_back({e->site, e->rank, "has not destroyed an event"});
  }
  for (const std::unique_ptr<Capture>& c : captures()) {
    if (!c->ended) leaks.push_back({c->site, c->rank, "has not ended a capture"});
  }
  for (const std::unique_ptr<Graph>& g : graphs().graphs()) {
    if (!g->destroyed && !g->in_capture && !g->is_child) {
      leaks.push_back({g->site, g->rank, "has not destroyed a graph"});
    }
  }
  for (const std::unique_ptr<GraphExec>& e : graphs().execs()) {
    if (!e->destroyed) leaks.push_back({e->site, e->rank, "has not destroyed an executable graph"});
  }
  const bool goes_on = std::exchange(config_.keep_going, true);  // name them all
  for (std::size_t i = 0; i < leaks.size(); ++i) {
    const auto same_site = [&](const Leak& other) { return other.site == leaks[i].site; };
    if (std::any_of(leaks.begin(), leaks.begin() + static_cast<std::ptrdiff_t>(i), same_site)) {
      continue;
    }
    std::vector<std::string> others;
    for (std::size_t j = i + 1; j < leaks.size(); ++j) {
      if (!same_site(leaks[j])) continue;
      others.push_back(fmt::format("rank {} {}, from the same line", leaks[j].rank, leaks[j].what));
    }
    if (others.size() > kOthersShown) {
      const std::size_t hidden = others.size() - kOthersShown;
      others.resize(kOthersShown);
      others.push_back(fmt::format("{} more from the same line", hidden));
    }
    report(ReportKind::leak, fmt::format("rank {} {}", leaks[i].rank, leaks[i].what),
           {{leaks[i].site, ThreadId{leaks[i].rank, -1, -1}}}, std::move(others));
  }
  config_.keep_going = goes_on;
}

}  // namespace rankle::sim
