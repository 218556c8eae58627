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
      group_(run.board_, rank),
      side_(*run.targets_[std::size_t(rank)].target, case_.target, "") {
  const Target* reference = run.targets_[std::size_t(rank)].reference;
  if (reference != nullptr) {
    reference_ = std::make_unique<RankSide>(*reference, case_.same_bits_as, "reference ");
  }
}

std::vector<RankSide*> RankProgram::sides() {
  std::vector<RankSide*> all{&side_};
  if (has_reference()) all.push_back(reference_.get());
  return all;
}

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
  bool well =
      hip_.ok(hipStreamCreateWithFlags(&stream_, hipStreamNonBlocking), "hipStreamCreateWithFlags");
  for (RankSide* side : sides()) well = well && side->allocate(hip_, case_, rank_);
  if (!meet(well)) return false;
  for (RankSide* side : sides()) well = well && side->connect(hip_, case_, group_);
  return meet(well);
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
      return call(step.staged);
    case StepKind::sync:
      return hip_.ok(hipStreamSynchronize(stream_), "hipStreamSynchronize");
    case StepKind::check:
      return check(step.round);
    default:  // validate() lets no other step through yet
      return false;
  }
}

void RankProgram::finish() {
  // Own work first, then everybody's: after the barrier nobody touches this rank's memory. In a run
  // that has been stopped all of this returns at once.
  if (stream_ != nullptr) {
    static_cast<void>(hip_.ok(hipStreamSynchronize(stream_), "hipStreamSynchronize"));
  }
  group_.barrier();
  for (RankSide* side : sides()) side->disconnect(hip_);
  for (RankSide* side : sides()) side->release();
  if (stream_ != nullptr) {
    static_cast<void>(hip_.ok(hipStreamDestroy(stream_), "hipStreamDestroy"));
  }
  stream_ = nullptr;
}

bool RankProgram::fill(int round) {
  filled_.resize(std::size_t(case_.bytes()));
  fill_input(payload_of(case_), rank_, round, 0, filled_);
  rounds_.push_back(round);
  bool done = true;
  for (RankSide* side : sides()) done = done && side->buffers().input().write(hip_, filled_);
  return done;
}

bool RankProgram::poison_output() {
  bool done = true;
  for (RankSide* side : sides()) {
    done = done && side->buffers().output().poison(hip_, case_.dtype, Poison::output);
  }
  return done;
}

bool RankProgram::poison_scratch() {
  bool done = true;
  for (RankSide* side : sides()) done = done && side->poison_scratch(hip_, case_.dtype);
  return meet(done);
}

bool RankProgram::call(bool staged) {
  Launched launched;
  if (!launch(side_, staged, launched)) return false;
  run_.record_launch(rank_, calls_++, launched);
  Launched ignored;
  return !has_reference() || launch(*reference_, staged, ignored);
}

bool RankProgram::launch(const RankSide& side, bool staged, Launched& launched) {
  const hipError_t status = side.launch(case_, rank_, stream_, staged, launched);
  if (status == hipSuccess) return true;
  if (device_hooks::stopped()) return false;
  // Reported here and not with other failed calls: peers that wait for this rank on their devices
  // may end the run before this rank is asked again.
  Finding finding;
  finding.kind = FindingKind::api_error;
  finding.message = fmt::format("rank {} could not launch {} as call {}: {}", rank_, side.name(),
                                calls_, hipGetErrorString(status));
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
  const RankBuffers& own = side_.buffers();
  if (!own.output().read(hip_, output_bytes_)) return false;
  if (!case_.in_place && !own.input().read(hip_, input_bytes_)) return false;
  if (has_reference() && !reference_->buffers().output().read(hip_, promised_bytes_)) return false;
  for (RankSide* side : sides()) {
    for (const GuardedBuffer* buffer : side->buffers().all()) {
      std::optional<RedZoneDamage> damage;
      if (!buffer->check_red_zones(hip_, damage)) return false;
      if (damage) report(red_zone_finding(rank_, *buffer, *damage));
    }
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
