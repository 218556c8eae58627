// The report of a deadlock: who waits for which word, what is in it, who wrote it last, and what
// the other ranks are doing instead of writing it.
#include <fmt/format.h>

#include <map>

#include "sim/engine.h"
#include "sim/symbols.h"
#include "sim/wave_ops.h"

namespace rankle::sim {
namespace {

constexpr std::size_t kGroupsShown = 12;

std::uint64_t value_at(std::uintptr_t address, int bytes) {
  switch (bytes) {
    case 1:
      return *reinterpret_cast<const std::uint8_t*>(address);
    case 2:
      return *reinterpret_cast<const std::uint16_t*>(address);
    case 4:
      return *reinterpret_cast<const std::uint32_t*>(address);
    default:
      return *reinterpret_cast<const std::uint64_t*>(address);
  }
}

// The word that the thread read last.
int latest_word(const SpinRecord& record) {
  return record.used < kSpinWords ? record.used - 1 : (record.oldest + kSpinWords - 1) % kSpinWords;
}

// Where the thread waits for other threads; 0 if it does not.
std::uintptr_t meeting_place(const Thread& thread) {
  switch (thread.state) {
    case ThreadState::at_barrier:
    case ThreadState::at_grid_barrier:
      return thread.barrier_site;
    case ThreadState::at_wave_op:
      return thread.wave_op->pc;
    default:
      return 0;
  }
}

const char* name_of(ThreadState state) {
  return state == ThreadState::at_wave_op        ? "wave operation"
         : state == ThreadState::at_grid_barrier ? "grid barrier"
                                                 : "barrier";
}

}  // namespace

void Engine::report_deadlock() {
  std::vector<SiteRef> sites;
  std::vector<std::string> details;
  std::size_t hidden = 0;
  for (const Thread* thread : parked_) {
    const SpinRecord& record = *thread->spin;
    const int i = latest_word(record);
    const std::uintptr_t word = record.word[i];
    if (sites.empty()) sites.push_back({record.site[i], id_of(*thread)});
    if (details.size() >= kGroupsShown) {
      ++hidden;
      continue;
    }
    const auto writer = last_writes_.find(word);
    const std::string history =
        writer == last_writes_.end()
            ? std::string("no thread has changed it in this run")
            : fmt::format("last changed by {} at {} to {}", text_of(writer->second.site.who),
                          place_of(writer->second.site.pc), writer->second.value);
    details.push_back(fmt::format("{} waits at {} for {}, which holds {}; {}",
                                  text_of(id_of(*thread)), place_of(record.site[i]),
                                  memory().describe(word), value_at(word, record.bytes[i]),
                                  history));
  }
  if (hidden > 0) details.push_back(fmt::format("{} more threads wait for a word", hidden));
  // Threads that wait for other threads of their block, wave or grid, one line for each block and
  // place.
  std::map<std::tuple<int, std::uint32_t, std::uintptr_t, ThreadState>, std::uint32_t> at_barrier;
  for (const std::unique_ptr<Launch>& launch : launches_) {
    for (const Block* block : launch->running) {
      for (const Thread& thread : block->threads) {
        const std::uintptr_t site = meeting_place(thread);
        if (site == 0) continue;
        if (sites.empty()) sites.push_back({site, id_of(thread)});
        ++at_barrier[{launch->rank, block->index, site, thread.state}];
      }
    }
  }
  hidden = 0;
  std::size_t listed = 0;
  for (const auto& [key, count] : at_barrier) {
    if (++listed > kGroupsShown) {
      ++hidden;
      continue;
    }
    details.push_back(fmt::format("{} {} of block {} on rank {} {} at the {} {}", count,
                                  count == 1 ? "thread" : "threads", std::get<1>(key),
                                  std::get<0>(key), count == 1 ? "waits" : "wait",
                                  name_of(std::get<3>(key)), place_of(std::get<2>(key))));
  }
  if (hidden > 0)
    details.push_back(fmt::format("threads of {} more blocks wait at a barrier", hidden));
  report_leaving_hosts(details);
  const std::string message =
      !parked_.empty()      ? text_of(sites[0].who) + " waits for a word that nobody will write"
      : !at_barrier.empty() ? text_of(sites[0].who) + " waits at a barrier that never completes"
                            : std::string("the host ranks wait for each other");
  report(ReportKind::deadlock, message, sites, std::move(details));
}

void Engine::report_leaving_hosts(std::vector<std::string>& details) const {
  for (const std::unique_ptr<HostRank>& host : hosts_) {
    std::uint32_t unstarted = 0;
    for (const Launch* launch : pending_[host->device]) {
      unstarted += launch->blocks_total - launch->blocks_started;
    }
    std::string line = fmt::format("the host of rank {} ", host->rank);
    line += host->finished ? std::string("has ended")
            : host->awaits ? fmt::format("waits in {}", host->waits_in)
                           : std::string("runs");
    if (unstarted > 0) {
      line +=
          fmt::format("; {} blocks of its device have not started, for want of room", unstarted);
    }
    details.push_back(line);
  }
}

}  // namespace rankle::sim
