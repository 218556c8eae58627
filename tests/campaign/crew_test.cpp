// A campaign over several ranks, with letters through memory instead of MPI: nothing is run twice,
// one signature is one finding, and a silent rank does not keep the others.
#include "campaign/crew.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <mutex>
#include <set>
#include <thread>

#include "campaign/member.h"
#include "tests/campaign/campaign_fixture.h"

namespace rankle {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

// Letters of all ranks, which are threads here.
class Post {
 public:
  explicit Post(int size) : boxes_(static_cast<std::size_t>(size)) {}
  void put(int to, Letter letter) {
    const std::lock_guard lock(mutex_);
    boxes_.at(static_cast<std::size_t>(to)).push_back(std::move(letter));
  }
  std::optional<Letter> take(int rank) {
    const std::lock_guard lock(mutex_);
    auto& box = boxes_.at(static_cast<std::size_t>(rank));
    if (box.empty()) return std::nullopt;
    Letter letter = std::move(box.front());
    box.pop_front();
    return letter;
  }
  int size() const { return static_cast<int>(boxes_.size()); }

 private:
  std::mutex mutex_;
  std::vector<std::deque<Letter>> boxes_;
};

class MemoryExchange : public Exchange {
 public:
  MemoryExchange(Post& post, int rank) : post_(post), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return post_.size(); }
  void send(int to, std::string text) override { post_.put(to, {rank_, std::move(text)}); }
  std::optional<Letter> receive() override { return post_.take(rank_); }
  void finish(bool) override {}

 private:
  Post& post_;
  int rank_;
};

class Ranks : public test::FolderTest {
 protected:
  static constexpr std::uint64_t kJobs = 2;

  std::unique_ptr<Executor> executor() {
    return std::make_unique<test::ScriptedExecutor>([this](const Case& c) {
      const std::lock_guard lock(mutex_);
      ran_.insert(c.seed);
      return bug_(c);
    });
  }

  void member(Post& post, int rank) {
    MemoryExchange exchange(post, rank);
    CampaignMember one(exchange, {});
    const auto setup = one.wait_for_setup();
    if (!setup) return;
    FuzzPlan plan = test::scripted_plan(kJobs, cases_);
    one.run(*setup, plan, [this](int) { return executor(); });
  }

  CampaignSummary lead(Post& post) {
    MemoryExchange exchange(post, 0);
    CampaignDir dir(folder_ / "campaign");
    FuzzPlan plan = test::scripted_plan(kJobs, cases_);
    Coverage coverage(plan.contracts, plan.draw);
    ExchangeCrew crew({exchange, {}, kJobs, coverage, {}, silence_max_s_});
    CampaignSettings settings;
    settings.canary = false;
    settings.workers = kJobs * static_cast<std::size_t>(post.size());
    const auto make = [this](int) { return executor(); };
    CampaignRun run({dir, plan, coverage, listener_, make, [](const Repro&) { return ""; },
                     [](const std::string&) {}, &crew},
                    settings);
    const CampaignSummary summary = run.run(make(0));
    is_broken_ = crew.is_broken();
    error_ = crew.error();
    return summary;
  }

  CampaignSummary run(int ranks) {
    Post post(ranks);
    std::vector<std::thread> members;
    for (int rank = 1; rank < ranks; ++rank) {
      members.emplace_back([this, &post, rank] { member(post, rank); });
    }
    CampaignSummary summary = lead(post);
    for (std::thread& thread : members) thread.join();
    return summary;
  }

  std::uint64_t cases_ = 400;
  double silence_max_s_ = 60;
  test::ScriptedExecutor::Bug bug_ = [](const Case&) { return std::vector<Finding>{}; };
  std::mutex mutex_;
  std::multiset<std::uint64_t> ran_;
  test::KeepingListener listener_;
  bool is_broken_ = false;
  std::string error_;
};

TEST_F(Ranks, TogetherRunEachCaseOnce) {
  const CampaignSummary summary = run(4);
  EXPECT_EQ(summary.fuzz.progress.cases, 400u);
  EXPECT_EQ(ran_.size(), 400u);
  EXPECT_EQ(std::set<std::uint64_t>(ran_.begin(), ran_.end()).size(), 400u);
  const auto state = CampaignDir(folder_ / "campaign").state(7);
  ASSERT_THAT(state.lanes, SizeIs(8));
  for (const Lane& lane : state.lanes) EXPECT_GE(lane.first, 400u);
  EXPECT_EQ(state.progress.cases, 400u);
}

TEST_F(Ranks, FindOneSignatureOnceAndKeepItInTheDirectoryOfRank0) {
  bug_ = test::tail_bug;
  const CampaignSummary summary = run(3);
  EXPECT_EQ(summary.fuzz.progress.findings, 1u);
  ASSERT_THAT(listener_.all_found, SizeIs(1));
  const Repro kept = read_repro(listener_.all_found[0].file);
  EXPECT_EQ(kept.signature, test::scripted_signature());
  EXPECT_TRUE(kept.minimised);
}

TEST_F(Ranks, GiveUpARankThatFallsSilent) {
  silence_max_s_ = 0.5;
  Post post(2);
  MemoryExchange silent(post, 1);
  const CampaignSummary summary = lead(post);
  EXPECT_EQ(summary.fuzz.progress.cases, 200u) << "half of the lanes are rank 1's";
  EXPECT_TRUE(is_broken_);
}

TEST_F(Ranks, EndWhereOneCannotGoOn) {
  Post post(2);
  std::thread broken([&] {
    MemoryExchange exchange(post, 1);
    CampaignMember one(exchange, {});
    if (one.wait_for_setup()) one.give_up("no worker here");
  });
  cases_ = 100'000'000;
  const CampaignSummary summary = lead(post);
  broken.join();
  EXPECT_EQ(summary.fuzz.end, FuzzEnd::rank_failed);
  EXPECT_THAT(summary.fuzz.error, HasSubstr("rank 1: no worker here"));
}

}  // namespace
}  // namespace rankle
