// The steps of a program as one rank carries them out.
#include "harness/runner/rank_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "harness/case_slot.h"
#include "harness/runner/device_hooks.h"
#include "harness/runner/judge.h"

namespace rankle {

RankProgram::RankProgram(ProgramRun& run, int rank)
    : run_(run),
      case_(run.case_),
      rank_(rank),
      targets_(run.targets_[std::size_t(rank)]),
      group_(run.board_, rank) {}

void RankProgram::run() {
  const bool well = start() && steps();
  if (!parting_) meet(well);
  finish();
  if (device_hooks::stopped() || hip_.failure().empty()) return;
  Finding finding;
  finding.kind = FindingKind::api_error;
  finding.message = fmt::format("on rank {}, {}", rank_, hip_.failure());
  finding.actors.push_back({rank_, -1, -1});
  run_.findings_.push_back(std::move(finding));
}

bool RankProgram::meet(bool well) {
  std::vector<char> all(std::size_t(case_.world));
  if (!group_.all_gather_value(char(well), std::span(all))) {
    parting_ = true;
    return false;
  }
  parting_ = std::find(all.begin(), all.end(), char(false)) != all.end();
  return !parting_;
}

bool RankProgram::start() {
  for (int peer = 0; peer < case_.world; ++peer) {
    if (peer == rank_) continue;
    const hipError_t status = hipDeviceEnablePeerAccess(peer, 0);
    if (status == hipErrorPeerAccessAlreadyEnabled) continue;
    if (!hip_.ok(status, "hipDeviceEnablePeerAccess")) return false;
  }
  if (!hip_.ok(hipStreamCreateWithFlags(&stream_, hipStreamNonBlocking),
               "hipStreamCreateWithFlags")) {
    return false;
  }
  const WorkspaceSize own = targets_.target->workspace(case_.world, case_.bytes());
  bool well = buffers_.allocate(hip_, case_, rank_, own, "");
  if (has_reference()) {
    const WorkspaceSize other = targets_.reference->workspace(case_.world, case_.bytes());
    well = well && reference_.allocate(hip_, case_, rank_, other, "reference ");
  }
  return meet(well) && buffers_.exchange(group_) &&
         (!has_reference() || reference_.exchange(group_));
}

bool RankProgram::steps() {
  for (const Step& next : case_.program) {
    if (device_hooks::stopped() || !step(next)) return false;
  }
  return true;
}

bool RankProgram::step(const Step& step) {
  switch (step.kind) {
    case StepKind::fill:
      return fill(step.round);
    case StepKind::poison_output:
      return poison_output();
    case StepKind::poison_scratch:
      return poison_scratch();
    case StepKind::call:
      return call();
    case StepKind::sync:
      return hip_.ok(hipStreamSynchronize(stream_), "hipStreamSynchronize");
    case StepKind::check:
      return check(step.round);
  }
  return false;
}

void RankProgram::finish() {
  // Own work first, then everybody's: after the barrier nobody touches this rank's memory. In a run
  // that has been stopped all of this returns at once.
  if (stream_ != nullptr) {
    static_cast<void>(hip_.ok(hipStreamSynchronize(stream_), "hipStreamSynchronize"));
  }
  group_.barrier();
  buffers_.release();
  reference_.release();
  if (stream_ != nullptr) {
    static_cast<void>(hip_.ok(hipStreamDestroy(stream_), "hipStreamDestroy"));
  }
  stream_ = nullptr;
}

bool RankProgram::fill(int round) {
  filled_.resize(std::size_t(case_.bytes()));
  fill_input(payload_of(case_), rank_, round, 0, filled_);
  rounds_.push_back(round);
  return buffers_.input().write(hip_, filled_) &&
         (!has_reference() || reference_.input().write(hip_, filled_));
}

bool RankProgram::poison_output() {
  return buffers_.output().poison(hip_, case_.dtype, Poison::output) &&
         (!has_reference() || reference_.output().poison(hip_, case_.dtype, Poison::output));
}

bool RankProgram::poison_scratch() {
  const bool done =
      buffers_.scratch().poison(hip_, case_.dtype, Poison::scratch) &&
      (!has_reference() || reference_.scratch().poison(hip_, case_.dtype, Poison::scratch));
  return meet(done);
}

bool RankProgram::call() {
  Launched launched;
  if (!launch(*targets_.target, case_.target, buffers_, launched)) return false;
  run_.record_launch(rank_, calls_++, launched);
  Launched ignored;
  return !has_reference() || launch(*targets_.reference, case_.same_bits_as, reference_, ignored);
}

bool RankProgram::launch(const Target& target, std::string_view name, const RankBuffers& buffers,
                         Launched& launched) {
  const hipError_t status = target.launch(buffers.call(case_, rank_, stream_), launched);
  if (status == hipSuccess) return true;
  if (device_hooks::stopped()) return false;
  // Reported here and not with other failed calls: peers that wait for this rank on their devices
  // may end the run before this rank is asked again.
  Finding finding;
  finding.kind = FindingKind::api_error;
  finding.message = fmt::format("rank {} could not launch {} as call {}: {}", rank_, name, calls_,
                                hipGetErrorString(status));
  finding.actors.push_back({rank_, -1, -1});
  run_.launch_findings_.push_back(std::move(finding));
  return false;
}

bool RankProgram::check(int round) {
  if (!meet(hip_.ok(hipStreamSynchronize(stream_), "hipStreamSynchronize"))) return false;
  // No rank calls anything before all have compared, so one phase of the process fits all.
  enter_phase(Phase::checking);
  const bool go_on = compare(round);
  enter_phase(Phase::running);
  return go_on;
}

bool RankProgram::compare(int round) {
  own_findings().clear();
  if (!meet(read_back())) return false;
  if (!judge(round) || !group_.barrier()) return false;
  if (rank_ == 0) {
    std::vector<Finding> merged = merge_ranks(run_.check_by_rank_);
    run_.leave_ = !merged.empty() && !run_.options_.keep_going;
    std::move(merged.begin(), merged.end(), std::back_inserter(run_.findings_));
  }
  // All ranks learn of `leave_` at the same step.
  if (!group_.barrier()) return false;
  parting_ = run_.leave_;
  return !parting_;
}

bool RankProgram::read_back() {
  if (!buffers_.output().read(hip_, output_bytes_)) return false;
  if (!case_.in_place && !buffers_.input().read(hip_, input_bytes_)) return false;
  if (has_reference() && !reference_.output().read(hip_, promised_bytes_)) return false;
  std::vector<const GuardedBuffer*> guarded = buffers_.all();
  if (has_reference()) {
    const std::vector<const GuardedBuffer*> more = reference_.all();
    guarded.insert(guarded.end(), more.begin(), more.end());
  }
  for (const GuardedBuffer* buffer : guarded) {
    std::optional<RedZoneDamage> damage;
    if (!buffer->check_red_zones(hip_, damage)) return false;
    if (damage) report(red_zone_finding(rank_, *buffer, *damage));
  }
  return true;
}

bool RankProgram::judge(int round) {
  if (!judge_output(round)) return false;
  if (case_.in_place) return true;
  report(judge_input(case_, rank_, round, input_bytes_, filled_));
  return true;
}

bool RankProgram::judge_output(int round) {
  if (!has_reference()) {
    std::vector<int> earlier(rounds_.rbegin(), rounds_.rend());
    std::erase(earlier, round);
    report(judge_exact(case_, run_.oracle_, rank_, round, earlier, output_bytes_,
                       run_.expected_of(rank_, round)));
    return true;
  }
  std::vector<Finding> unlike_reference =
      judge_equal_bits(case_, rank_, round, output_bytes_, promised_bytes_, case_.same_bits_as);
  // With the reference's bits missed already, unlike ranks would say the same thing twice.
  const bool alike = unlike_reference.empty();
  report(std::move(unlike_reference));
  if (!run_.oracle_.same_on_all_ranks) return true;
  std::vector<std::byte> of_first = output_bytes_;
  if (!group_.broadcast(0, of_first)) return false;
  if (alike) report(judge_equal_bits(case_, rank_, round, output_bytes_, of_first, "rank 0"));
  return true;
}

}  // namespace rankle
