// Output, rest and input of one check.
#include "harness/runner/rank_judge.h"

#include <optional>
#include <utility>

namespace rankle {

void RankJudge::report(const CheckPlace& place, std::vector<Finding> findings) {
  auto& own = run_.check_by_rank_[std::size_t(state_.rank)];
  for (Finding& finding : findings) {
    for (Actor& actor : finding.actors) actor.step = place.step;
    own.push_back({place.number, std::move(finding)});
  }
}

bool RankJudge::judge(const CheckPlace& place, const BufferState& known, const CheckCopies& copies,
                      bool all_ranks) {
  const auto written = std::size_t(run_.oracle_.output_count(place.shape.count, state_.c.world)) *
                       size_of(place.shape.dtype);
  CheckCopies judged = copies;
  judged.output = copies.output.first(written);
  if (!copies.promised.empty()) judged.promised = copies.promised.first(written);
  if (!judge_output(place, judged, all_ranks)) return false;
  judge_rest(place, known, copies.output);
  if (!copies.input.empty()) judge_input(place, known.input(), "input", copies.input);
  return true;
}

bool RankJudge::judge_output(const CheckPlace& place, const CheckCopies& copies, bool all_ranks) {
  const int rank = state_.rank;
  if (state_.sides.size() == 1) {
    std::vector<int> earlier(state_.rounds.rbegin(), state_.rounds.rend());
    std::erase(earlier, place.round);
    report(place, judge_exact(state_.c, run_.oracle_, rank, place, earlier, copies.output,
                              *run_.expected_of(rank, place.shape, place.round)));
    return true;
  }
  std::vector<Finding> unlike_reference =
      judge_equal_bits(rank, place, copies.output, copies.promised, state_.c.same_bits_as);
  // With the reference's bits missed already, unlike ranks would say the same thing twice.
  const bool alike = unlike_reference.empty();
  report(place, std::move(unlike_reference));
  if (!all_ranks || !run_.oracle_.same_on_all_ranks) return true;
  std::vector<std::byte> of_first(copies.output.begin(), copies.output.end());
  if (!state_.group.broadcast(0, of_first)) return false;
  if (alike) report(place, judge_equal_bits(rank, place, copies.output, of_first, "rank 0"));
  return true;
}

void RankJudge::judge_rest(const CheckPlace& place, const BufferState& known,
                           std::span<const std::byte> output) {
  const auto begin = std::size_t(known.reach());
  if (begin >= output.size() || known.rest().kind == Contents::Kind::unknown) return;
  report(place, rankle::judge_rest(state_.rank, place, known.reach(), output.subspan(begin),
                                   image_of(known.rest()).subspan(begin)));
}

void RankJudge::judge_input(const CheckPlace& place, const Contents& expected,
                            const std::string& name, std::span<const std::byte> actual) {
  if (expected.kind == Contents::Kind::unknown) return;
  report(place, rankle::judge_input(state_.rank, place, expected.spec.dtype, name, actual,
                                    image_of(expected)));
}

std::span<const std::byte> RankJudge::image_of(const Contents& contents) {
  if (contents == image_contents_) return image_;
  image_.resize(std::size_t(state_.c.bytes()));
  write_contents(contents, state_.rank, image_);
  image_contents_ = contents;
  return image_;
}

bool RankJudge::judge_red_zones(const CheckPlace& place, const GuardedBuffer& buffer) {
  std::optional<RedZoneDamage> damage;
  if (!buffer.check_red_zones(state_.hip, damage)) return false;
  if (damage) report(place, {red_zone_finding(state_.rank, buffer, *damage)});
  return true;
}

bool RankJudge::judge_red_zones(const CheckPlace& place, const RankBuffers& pair) {
  for (const GuardedBuffer* buffer : pair.all()) {
    if (!judge_red_zones(place, *buffer)) return false;
  }
  return true;
}

}  // namespace rankle
