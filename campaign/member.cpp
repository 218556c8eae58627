// See member.h.
#include "campaign/member.h"

#include <atomic>
#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace rankle {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPause{20};
constexpr std::chrono::milliseconds kProgressInterval{100};

// Letters from the jobs' threads to the one thread that may speak to other ranks.
class Outbox {
 public:
  void put(std::string letter) {
    const std::lock_guard lock(mutex_);
    letters_.push_back(std::move(letter));
  }
  void empty_into(Exchange& exchange) {
    std::deque<std::string> letters;
    {
      const std::lock_guard lock(mutex_);
      letters.swap(letters_);
    }
    for (std::string& letter : letters) exchange.send(0, std::move(letter));
  }

 private:
  std::mutex mutex_;
  std::deque<std::string> letters_;
};

// Sends findings instead of writing them. `Found::file` holds the number of the finding here.
class SendingStore : public FindingStore {
 public:
  explicit SendingStore(Outbox& outbox) : outbox_(outbox) {}
  void save(Found& found) override { send(found, false); }
  void settled(Found& found) override { send(found, true); }

 private:
  void send(Found& found, bool is_settled) {
    if (found.file.empty()) found.file = std::to_string(++numbers_);
    outbox_.put(to_letter(FindingLetter{std::stoull(found.file.string()), is_settled, found}));
  }

  Outbox& outbox_;
  std::atomic<std::uint64_t> numbers_ = 0;
};

// Counts what rank 0 is told ten times a second.
class SendingListener : public FuzzListener {
 public:
  using Learn = std::function<void()>;

  SendingListener(Outbox& outbox, const std::vector<std::atomic<std::uint64_t>>& next,
                  const FuzzProgress& before, Learn exchange)
      : outbox_(outbox), next_(next), told_(before), exchange_(std::move(exchange)) {}

  void case_done(const Case& c, const Verdict& verdict, const FuzzProgress&) override {
    const std::lock_guard lock(mutex_);
    for (const Cell& cell : cells_of(c, verdict)) ++cells_[cell];
  }
  void minimising(const Repro&, const FuzzProgress&) override {}
  void found(const Found&) override {}  // the store has sent it
  void warned(const Case&, const Finding&) override {}
  void tick(const FuzzProgress& progress) override {
    const auto now = SteadyClock::now();
    if (now - told_at_ >= kProgressInterval) {
      told_at_ = now;
      tell(progress);
    }
    exchange_();
  }

  void tell(const FuzzProgress& now) {
    ProgressLetter letter;
    for (const auto& next : next_) letter.next.push_back(next.load());
    FuzzProgress& counts = letter.counts;
    // Findings are counted by rank 0, which knows those that two ranks have found.
    counts.cases = now.cases - told_.cases;
    counts.warnings = now.warnings - told_.warnings;
    counts.duplicates = now.duplicates - told_.duplicates;
    counts.passed = now.passed - told_.passed;
    counts.failed = now.failed - told_.failed;
    counts.timeouts = now.timeouts - told_.timeouts;
    counts.errors = now.errors - told_.errors;
    counts.retries = now.retries - told_.retries;
    told_ = now;
    {
      const std::lock_guard lock(mutex_);
      letter.cells.assign(cells_.begin(), cells_.end());
      cells_.clear();
    }
    outbox_.put(to_letter(letter));
  }

 private:
  Outbox& outbox_;
  const std::vector<std::atomic<std::uint64_t>>& next_;
  FuzzProgress told_;
  Learn exchange_;
  SteadyClock::time_point told_at_;
  std::mutex mutex_;
  std::map<Cell, std::uint64_t> cells_;
};

}  // namespace

CampaignMember::CampaignMember(Exchange& exchange, std::function<bool()> interrupted)
    : exchange_(exchange), interrupted_(std::move(interrupted)) {}

std::optional<Setup> CampaignMember::wait_for_setup() {
  while (!(interrupted_ && interrupted_())) {
    const std::optional<Letter> letter = exchange_.receive();
    if (!letter) {
      std::this_thread::sleep_for(kPause);
      continue;
    }
    const std::string kind = kind_of(letter->text);
    if (kind == "setup") return setup_of(letter->text);
    if (kind == "stop") break;
  }
  exchange_.send(0, to_letter(DoneLetter{FuzzEnd::interrupted, ""}));
  return std::nullopt;
}

void CampaignMember::run(const Setup& setup, FuzzPlan& plan,
                         const FuzzLoop::MakeExecutor& make_executor) {
  plan.lanes = setup.lanes;
  plan.known.insert(setup.known.begin(), setup.known.end());
  plan.corpus = setup.corpus;
  plan.before = {};
  plan.before.seconds = setup.seconds;
  std::vector<std::atomic<std::uint64_t>> next(plan.lanes.size());
  for (std::size_t job = 0; job < next.size(); ++job) next[job] = plan.lanes[job].first;
  plan.at = [&](int job, std::uint64_t index) { next[static_cast<std::size_t>(job)] = index; };

  Outbox outbox;
  SendingStore store(outbox);
  FuzzLoop* running = nullptr;
  const auto exchange_letters = [&] {
    outbox.empty_into(exchange_);
    while (const std::optional<Letter> letter = exchange_.receive()) {
      const std::string kind = kind_of(letter->text);
      if (kind == "known") running->learn(signature_of(letter->text));
      if (kind == "stop") running->stop(FuzzEnd::interrupted);
    }
  };
  SendingListener listener(outbox, next, plan.before, exchange_letters);
  FuzzLoop loop(plan, make_executor, store, listener);
  running = &loop;
  DoneLetter done;
  try {
    done.end = loop.run().end;
  } catch (const std::exception& error) {
    done.error = error.what();
  }
  listener.tell(loop.progress());
  outbox.put(to_letter(done));
  outbox.empty_into(exchange_);
}

void CampaignMember::give_up(const std::string& error) {
  exchange_.send(0, to_letter(DoneLetter{FuzzEnd::interrupted, error}));
}

}  // namespace rankle
