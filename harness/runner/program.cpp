// ProgramRun: what the ranks of one run share.
#include "harness/runner/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "harness/runner/rank_program.h"

namespace rankle {
namespace {

// Every rank asks for what the first one asked for, after all of its checks.
constexpr std::size_t kExpectedBytesMax = std::size_t{64} << 20;

}  // namespace

ProgramRun::ProgramRun(const Case& c, const RunOptions& options, const FamilyOracle& oracle,
                       std::vector<RankTargets> targets)
    : case_(c),
      plan_(plan_program(c)),
      options_(options),
      oracle_(oracle),
      targets_(std::move(targets)),
      board_(c.world),
      check_by_rank_(std::size_t(c.world)),
      variants_(std::size_t(c.world)) {}

void ProgramRun::rank_main(int rank) { RankProgram(*this, rank).run(); }

void ProgramRun::file_launch(Finding finding) {
  const std::lock_guard lock(mutex_);
  launch_findings_.push_back(std::move(finding));
}

void ProgramRun::file(std::vector<Finding> findings) {
  const std::lock_guard lock(mutex_);
  std::move(findings.begin(), findings.end(), std::back_inserter(findings_));
}

void ProgramRun::record_launch(const Actor& who, std::size_t index, const Launched& launched) {
  const std::lock_guard lock(mutex_);
  const bool is_direct = launched.path.empty() || launched.path == "registered";
  variants_[std::size_t(who.rank)] = launched.variant + (is_direct ? "" : ", " + launched.path);
  // Ranks make their calls in the same order.
  if (index == first_launches_.size()) {
    first_launches_.push_back({who, launched});
    return;
  }
  const FirstLaunch& first = first_launches_[index];
  if (first.launched.variant == launched.variant && first.launched.blocks == launched.blocks &&
      first.launched.threads == launched.threads && first.launched.path == launched.path) {
    return;
  }
  Finding finding;
  finding.kind = FindingKind::rank_mismatch;
  const auto words = [](int of, const Launched& l) {
    return fmt::format("rank {} launched {} with {} blocks of {} threads{}", of, l.variant,
                       l.blocks, l.threads, l.path.empty() ? "" : ", its input " + l.path);
  };
  finding.message = fmt::format("in call {}, {} but {}", index,
                                words(first.who.rank, first.launched), words(who.rank, launched));
  finding.actors = {first.who, who};
  // One is enough: what differs in one call differs in the next.
  const auto known = std::find_if(launch_findings_.begin(), launch_findings_.end(),
                                  [](auto& f) { return f.kind == FindingKind::rank_mismatch; });
  if (known == launch_findings_.end()) {
    launch_findings_.push_back(std::move(finding));
  } else {
    known->details.push_back("also: " + finding.message);
  }
}

std::shared_ptr<const std::vector<std::byte>> ProgramRun::expected_of(int rank,
                                                                      const CallShape& shape,
                                                                      int round) {
  const std::lock_guard lock(mutex_);
  const int key = oracle_.same_on_all_ranks ? 0 : rank;
  for (const Expected& known : expected_) {
    if (known.rank == key && known.round == round && known.shape == shape) return known.bytes;
  }
  while (expected_bytes_ > kExpectedBytesMax) {
    expected_bytes_ -= expected_.front().bytes->size();
    expected_.pop_front();
  }
  const std::int64_t count = oracle_.output_count(shape.count, case_.world);
  const auto bytes =
      std::make_shared<std::vector<std::byte>>(std::size_t(count) * size_of(shape.dtype));
  oracle_.expected(payload_of(case_, shape), key, all_of_round(case_.world, round), 0, *bytes);
  expected_bytes_ += bytes->size();
  return expected_.emplace_back(Expected{key, shape, round, bytes}).bytes;
}

}  // namespace rankle
