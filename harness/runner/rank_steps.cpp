// The steps that a rank carries out by itself.
#include <fmt/format.h>

#include <chrono>
#include <thread>
#include <utility>

#include "harness/runner/device_hooks.h"
#include "harness/runner/payload_values.h"
#include "harness/runner/rank_program.h"

namespace rankle {

void RankProgram::note(const Effect& effect) {
  if (graphs_.is_capturing()) {
    graphs_.record(effect);
  } else {
    apply(effect, state_.state(effect.buffer));
  }
}

bool RankProgram::write(const Step& step, Half half, const Contents& contents) {
  const bool captures = graphs_.is_capturing();
  const bool on_stream = step.queued || step.kind == StepKind::overwrite || captures;
  if (!captures && !checks_.make_room()) return false;
  HostImages& images = captures ? graphs_.images() : state_.images;
  note({step.kind, step.buffer, contents, {}});
  return on_stream ? state_.queue_write(contents, half, step.buffer, images, state_.stream_of(step))
                   : state_.write(contents, half, step.buffer);
}

bool RankProgram::call(const Step& step, const CallShape& shape) {
  if (step.refused) return call_refused(step, shape);
  if (!perturb(state_.stream_of(step))) return false;
  SideCall made{shape, step.buffer, nullptr, step.staged, state_.stream_of(step)};
  Effect effect{step.kind, step.buffer, {}, shape};
  std::vector<const GuardedBuffer*> copies(state_.sides.size());
  if (step.copied) {
    copies.clear();
    if (!graphs_.copy_input(step.buffer, made.stream, copies, effect.copy)) return false;
  }
  for (std::size_t i = 0; i < state_.sides.size(); ++i) {
    Launched launched;
    made.copy = copies[i];
    if (!launch(*state_.sides[i], made, launched)) return false;
    if (i == 0) run_.record_launch({rank_, -1, -1, state_.step_index}, calls_++, launched);
  }
  if (graphs_.is_capturing()) {
    if (!graphs_.keep_output(step.buffer, made.stream, effect.kept)) return false;
  } else {
    is_bound_ = true;
  }
  note(effect);
  return true;
}

// Delays of a call follow from the case, the rank and the number of the call.
bool RankProgram::perturb(hipStream_t stream) {
  const Perturbation& perturbation = case_.perturbation;
  if (perturbation.seed == 0 || !device_hooks::perturbs()) return true;
  const std::uint64_t key = payload_values::key_of(perturbation.seed, int(calls_), rank_);
  const auto delay = [&](int which, std::int64_t max) {
    const std::uint64_t hash = payload_values::hash_at(key, which);
    return std::int64_t(payload_values::fold_wide(hash, std::uint64_t(max) + 1));
  };
  const std::int64_t on_host = delay(0, perturbation.host_delay_max);
  const std::int64_t on_device = delay(1, perturbation.device_delay_max);
  if (on_host > 0) std::this_thread::sleep_for(std::chrono::nanoseconds(on_host));
  return on_device == 0 || state_.hip.ok(side_.delay(on_device, stream), "launching a delay");
}

// Nothing is counted or noted: what a refused call leaves behind shows in the checks after it.
bool RankProgram::call_refused(const Step& step, const CallShape& shape) {
  const SideCall made{shape, step.buffer, nullptr, step.staged, state_.stream_of(step)};
  for (const RankSide* side : state_.sides) {
    Launched launched;
    const hipError_t status = side->launch(case_, rank_, made, launched);
    if (status == hipErrorInvalidValue) continue;
    if (device_hooks::stopped()) return false;
    Finding finding;
    finding.kind = FindingKind::api_error;
    finding.message = fmt::format(
        "rank {}: a call of {} with {} bytes, which do not fit into {} bytes of staging memory, {} "
        "instead of being refused with {}",
        rank_, side->name(), bytes_of(shape), state_.plan.staging_bytes,
        status == hipSuccess ? std::string("was launched")
                             : fmt::format("ended with {}", hipGetErrorString(status)),
        hipGetErrorString(hipErrorInvalidValue));
    finding.actors.push_back({rank_, -1, -1, state_.step_index});
    run_.file_launch(std::move(finding));
    return false;
  }
  return true;
}

bool RankProgram::launch(const RankSide& side, const SideCall& made, Launched& launched) {
  const hipError_t status = side.launch(case_, rank_, made, launched);
  if (status == hipSuccess) return true;
  if (device_hooks::stopped()) return false;
  // Reported here and not with other failed calls: peers that wait for this rank on their devices
  // may end the run before this rank is asked again.
  Finding finding;
  finding.kind = FindingKind::api_error;
  finding.message = fmt::format("rank {} could not launch {} as call {}: {}", rank_, side.name(),
                                calls_, hipGetErrorString(status));
  finding.actors.push_back({rank_, -1, -1, state_.step_index});
  run_.file_launch(std::move(finding));
  return false;
}

bool RankProgram::sync(const Step& step) {
  if (step.rank >= 0 && step.rank != rank_) return true;
  return state_.wait();
}

CheckPlace RankProgram::place_of(const Step& step) {
  const std::optional<CallShape>& call = state_.state(step.buffer).last_call();
  return {state_.checks++,  step.round, step.buffer, -1, 0, call ? *call : shape_of(case_, 0),
          state_.step_index};
}

bool RankProgram::queue_check(const Step& step) {
  const CheckPlace place = place_of(step);
  return checks_.make_room() &&
         checks_.queue(place, state_.state(step.buffer), state_.stream_of(step));
}

// The host sleeps by waiting for a stream on which nothing else happens: that is time of the
// platform, virtual on the simulator.
bool RankProgram::delay(const Step& step) {
  if (step.rank != rank_) return true;
  const hipStream_t stream = step.queued ? state_.stream_of(step) : state_.idle;
  if (!state_.hip.ok(side_.delay(step.amount, stream), "launching a delay")) return false;
  return step.queued || state_.hip.ok(hipStreamSynchronize(stream), "hipStreamSynchronize");
}

// The communicator waits for the stream that it works on. One that has had no call yet knows of
// none, and what else was queued there would be left behind.
bool RankProgram::switch_stream(int stream) {
  if (!(is_bound_ && side_.has_communicator()) && !state_.wait()) return false;
  state_.stream = state_.streams[std::size_t(stream)];
  is_bound_ = true;
  for (const RankSide* side : state_.sides) {
    if (!side->switch_stream(state_.hip, state_.stream)) return false;
  }
  return true;
}

bool RankProgram::order(hipStream_t earlier, hipEvent_t event, hipStream_t later) {
  return state_.hip.ok(hipEventRecord(event, earlier), "hipEventRecord") &&
         state_.hip.ok(hipStreamWaitEvent(later, event, 0), "hipStreamWaitEvent");
}

}  // namespace rankle
