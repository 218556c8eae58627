// See crew.h.
#include "campaign/crew.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

namespace rankle {
namespace {

constexpr std::chrono::milliseconds kPause{20};
// After this long without a word from those that should have ended, the campaign ends without them.
constexpr double kFarewell_s = 30;

double seconds_since(std::chrono::steady_clock::time_point then) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - then).count();
}

}  // namespace

ExchangeCrew::ExchangeCrew(Parts parts) : parts_(std::move(parts)) {
  ranks_.resize(static_cast<std::size_t>(parts_.exchange.size()));
  ranks_.front().is_done = true;  // this one
}

void ExchangeCrew::begin(FuzzPlan& plan, const std::vector<Lane>& lanes, FindingStore& store) {
  store_ = &store;
  std::vector<std::vector<Case>> shares(ranks_.size());
  for (std::size_t i = 0; i < plan.corpus.size(); ++i) {
    shares[i % shares.size()].push_back(plan.corpus[i]);
  }
  plan.corpus = shares.front();
  Setup setup;
  setup.arguments = parts_.arguments;
  setup.seed = plan.seed;
  setup.known.assign(plan.known.begin(), plan.known.end());
  setup.seconds = plan.before.seconds;
  for (std::size_t rank = 1; rank < ranks_.size(); ++rank) {
    const auto own = lanes.begin() + static_cast<std::ptrdiff_t>(rank * parts_.jobs);
    setup.corpus = shares[rank];
    setup.lanes.assign(own, own + static_cast<std::ptrdiff_t>(parts_.jobs));
    parts_.exchange.send(static_cast<int>(rank), to_letter(setup));
    ranks_[rank].heard = std::chrono::steady_clock::now();
  }
}

void ExchangeCrew::tick(FuzzLoop& loop, Positions& positions) {
  while (const std::optional<Letter> letter = parts_.exchange.receive()) {
    handle(*letter, loop, positions);
  }
  give_up_silent_ranks();
  if (!error_.empty()) loop.stop(FuzzEnd::rank_failed, error_);
}

void ExchangeCrew::end(FuzzLoop& loop, Positions& positions, FuzzEnd why) {
  const bool all_have_the_same_limit = why == FuzzEnd::time_up || why == FuzzEnd::cases_done;
  if (!all_have_the_same_limit) tell_all(stop_letter());
  auto stopping = std::chrono::steady_clock::now();
  bool is_stopping = !all_have_the_same_limit;
  while (!all_done()) {
    tick(loop, positions);
    if (!is_stopping && parts_.interrupted && parts_.interrupted()) {
      tell_all(stop_letter());
      is_stopping = true;
      stopping = std::chrono::steady_clock::now();
    }
    if (is_stopping && seconds_since(stopping) > kFarewell_s) {
      is_broken_ = true;
      return;
    }
    std::this_thread::sleep_for(kPause);
  }
}

void ExchangeCrew::handle(const Letter& letter, FuzzLoop& loop, Positions& positions) {
  Rank& rank = ranks_.at(static_cast<std::size_t>(letter.from));
  rank.heard = std::chrono::steady_clock::now();
  const std::string kind = kind_of(letter.text);
  if (kind == "finding") return take_finding(letter, loop);
  if (kind == "progress") {
    const ProgressLetter progress = progress_of(letter.text);
    const std::size_t first = static_cast<std::size_t>(letter.from) * parts_.jobs;
    for (std::size_t job = 0; job < std::min(progress.next.size(), parts_.jobs); ++job) {
      positions.set(first + job, progress.next[job]);
    }
    loop.absorb(progress.counts);
    for (const auto& [cell, hits] : progress.cells) parts_.coverage.add({cell}, hits);
  }
  if (kind == "done") {
    rank.is_done = true;
    const DoneLetter done = done_of(letter.text);
    if (done.error.empty()) return;
    error_ = fmt::format("rank {}: {}", letter.from, done.error);
  }
}

// A finding is in the directory before anybody hears of it, as one of this rank would be.
void ExchangeCrew::take_finding(const Letter& letter, FuzzLoop& loop) {
  FindingLetter fresh = finding_of(letter.text);
  const std::pair key(letter.from, fresh.number);
  auto it = open_.find(key);
  if (it == open_.end()) {
    const bool is_new = loop.adopt(fresh.found.repro.signature);
    it = open_.emplace(key, is_new ? std::optional<Found>(Found{}) : std::nullopt).first;
    if (is_new) tell_all(known_letter(fresh.found.repro.signature), letter.from);
  }
  if (it->second) {
    fresh.found.file = it->second->file;
    *it->second = fresh.found;
    if (fresh.is_settled) {
      store_->settled(*it->second);
      loop.report(*it->second);
    } else {
      store_->save(*it->second);
    }
  }
  if (fresh.is_settled) open_.erase(it);
}

void ExchangeCrew::give_up_silent_ranks() {
  for (Rank& rank : ranks_) {
    if (rank.is_done || seconds_since(rank.heard) < parts_.silence_max_s) continue;
    rank.is_done = true;
    is_broken_ = true;
  }
}

void ExchangeCrew::tell_all(const std::string& letter, int except) {
  for (int rank = 1; rank < parts_.exchange.size(); ++rank) {
    if (rank != except && !ranks_[static_cast<std::size_t>(rank)].is_done) {
      parts_.exchange.send(rank, letter);
    }
  }
}

bool ExchangeCrew::all_done() const {
  return std::all_of(ranks_.begin(), ranks_.end(), [](const Rank& rank) { return rank.is_done; });
}

}  // namespace rankle
