// Operations of a wave: lanes wait for each other, then each gets its result.
#include "sim/wave_ops.h"

#include <fmt/format.h>

#include <bit>

#include "sim/atomics.h"
#include "sim/engine.h"
#include "sim/lanes.h"
#include "sim/site_hash.h"
#include "sim/symbols.h"

namespace rankle::sim {
namespace {

// What a lane reads from one that does not take part: recognisable, and a NaN.
constexpr std::uint64_t kUndefined = ~std::uint64_t{0};

const WaveOp& op_of(const Wave& wave, int lane) { return *wave.threads[lane].wave_op; }

std::uint64_t reduction(const Wave& wave, std::uint64_t lanes, Rmw operation) {
  std::uint64_t value = op_of(wave, std::countr_zero(lanes)).value;
  for_each_lane(lanes & (lanes - 1),
                [&](int lane) { value = apply(operation, value, op_of(wave, lane).value, 4); });
  return value;
}

template <typename F>
std::uint64_t lanes_where(std::uint64_t lanes, F&& holds) {
  std::uint64_t found = 0;
  for_each_lane(lanes, [&](int lane) { found |= holds(lane) ? bit_of(lane) : 0; });
  return found;
}

bool reads_absent_lane(const WaveOp& op, std::uint64_t lanes) {
  return op.kind == WaveOpKind::shuffle &&
         (op.argument < 0 || op.argument > 63 || (lanes >> op.argument & 1) == 0);
}

std::uint64_t result_of(const Wave& wave, int lane, std::uint64_t lanes) {
  const WaveOp& op = op_of(wave, lane);
  const auto equals = [&](int other) { return op_of(wave, other).value == op.value; };
  switch (op.kind) {
    case WaveOpKind::barrier:
    case WaveOpKind::participants:
      return lanes;
    case WaveOpKind::ballot:
      return lanes_where(lanes, [&](int other) { return op_of(wave, other).value != 0; });
    case WaveOpKind::shuffle:
      return reads_absent_lane(op, lanes) ? kUndefined : op_of(wave, op.argument).value;
    case WaveOpKind::first:
      return op_of(wave, std::countr_zero(lanes)).value;
    case WaveOpKind::match_any:
      return lanes_where(lanes, equals);
    case WaveOpKind::match_all:
      return lanes_where(lanes, equals) == lanes ? lanes : 0;
    case WaveOpKind::reduce:
      return reduction(wave, lanes, static_cast<Rmw>(op.argument));
  }
  return 0;
}

}  // namespace

std::uint64_t Engine::join_wave_op(Thread* thread, WaveOp& op) {
  restore_latest_value();
  Wave& wave = *thread->wave;
  mix(site_hash(op.pc) ^ static_cast<std::uint64_t>(op.kind));
  if (config_.wave == 32) op.mask &= 0xffffffff;
  if (op.masked && (op.mask >> thread->lane & 1) == 0) {
    report(ReportKind::api_error,
           fmt::format("{} is lane {} of its wave and calls a wave operation with the mask {:#x}, "
                       "which does not name it",
                       text_of(id_of(*thread)), thread->lane, op.mask),
           {here(op.pc)});
    return op.value;
  }
  thread->wave_op = &op;
  thread->state = ThreadState::at_wave_op;
  wave.ready &= ~bit_of(thread->lane);
  wave.in_op |= bit_of(thread->lane);
  const bool completed = op.masked && complete_masked_op(wave, thread->lane);
  if (!completed && wave.ready == 0) settle_wave(wave, false);
  ++g_hot.step;
  if (thread->state == ThreadState::at_wave_op) {
    wait_in_wave(*thread);
  } else if (g_hot.step >= g_hot.interrupt_at) {
    interrupt();
  }
  return op.result;
}

// Lanes of one warp may meet at different lines on NVIDIA, where the mask says who takes part; on
// AMD they have to be at one instruction together.
bool Engine::same_op(const WaveOp& a, const WaveOp& b) {
  if (a.kind != b.kind || a.masked != b.masked || a.mask != b.mask) return false;
  if (a.masked && config_.barrier_model == BarrierModel::nvidia) return true;
  return same_site(a.pc, b.pc);
}

// Performs the operation of a lane if everybody whom its mask names is there.
bool Engine::complete_masked_op(Wave& wave, int lane) {
  const WaveOp& op = op_of(wave, lane);
  const std::uint64_t lanes = op.mask & first_lanes(wave.lanes) & ~wave.exited;
  if ((lanes & ~wave.in_op) != 0) return false;
  bool all_same = true;
  for_each_lane(lanes, [&](int other) { all_same = all_same && same_op(op, op_of(wave, other)); });
  if (all_same) complete_wave_op(wave, lanes);
  return all_same;
}

// No lane of the wave can run, and some wait in operations: performs one of them, or says why none
// can be. `final`: the whole machine stands still, so that lanes which wait for a word will not
// come. True if some lane can go on.
bool Engine::settle_wave(Wave& wave, bool final) {
  const std::uint64_t elsewhere =
      first_lanes(wave.lanes) & ~(wave.exited | wave.waiting | wave.in_op);
  if (wave.in_op == 0 || (elsewhere != 0 && !final)) return false;
  const auto lowest_of = [&](std::uint64_t lanes) {
    int lowest = -1;
    for_each_lane(lanes, [&](int lane) {
      if (lowest < 0 || op_of(wave, lane).pc < op_of(wave, lowest).pc) lowest = lane;
    });
    return lowest;
  };
  const auto like = [&](int lane) {
    return lanes_where(wave.in_op,
                       [&](int other) { return same_op(op_of(wave, lane), op_of(wave, other)); });
  };
  const std::uint64_t maskless =
      lanes_where(wave.in_op, [&](int lane) { return !op_of(wave, lane).masked; });
  if (maskless != 0) {
    const std::uint64_t lanes = like(lowest_of(maskless));
    // A lane that waits for a word and is needed here is what the deadlock is about.
    const auto needs_absent = [&](int lane) { return reads_absent_lane(op_of(wave, lane), lanes); };
    if (elsewhere != 0 && lanes_where(lanes, needs_absent) != 0) return false;
    complete_wave_op(wave, lanes);
    return true;
  }
  if (elsewhere != 0) return false;  // a deadlock, in which this wave takes part
  const int lowest = lowest_of(wave.in_op);
  report_wave_divergence(wave, lowest);
  if (config_.barrier_model == BarrierModel::nvidia || stopped_) return false;
  complete_wave_op(wave, like(lowest));
  return true;
}

bool Engine::settle_waves() {
  bool any = false;
  for (const std::unique_ptr<Launch>& launch : launches_) {
    for (Block* block : launch->running) {
      for (Wave& wave : block->waves) any = settle_wave(wave, true) || any;
    }
  }
  return any;
}

// A lane has ended: the others need not wait for it.
void Engine::lane_left(Wave& wave) {
  for (std::uint64_t left = wave.in_op; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    if ((wave.in_op >> lane & 1) != 0 && op_of(wave, lane).masked) complete_masked_op(wave, lane);
  }
  if (wave.ready == 0) settle_wave(wave, false);
}

void Engine::complete_wave_op(Wave& wave, std::uint64_t lanes) {
  ++progress_;
  for_each_lane(lanes, [&](int lane) {
    if (reads_absent_lane(op_of(wave, lane), lanes)) report_absent_source(wave, lane);
    wave.threads[lane].wave_op->result = result_of(wave, lane, lanes);
  });
  if (op_of(wave, std::countr_zero(lanes)).kind == WaveOpKind::barrier) {
    std::vector<Thread*> meeting;
    for_each_lane(lanes, [&](int lane) { meeting.push_back(&wave.threads[lane]); });
    race_rendezvous(meeting);
  }
  wave.in_op &= ~lanes;
  wave.ready |= lanes;
  for_each_lane(lanes, [&](int lane) {
    Thread& thread = wave.threads[lane];
    thread.state = ThreadState::ready;
    thread.wave_op = nullptr;
    if (thread.spin != nullptr) thread.spin->reads_without_progress = 0;
  });
  runnable_.add(&wave);
}

void Engine::report_absent_source(const Wave& wave, int lane) {
  const Thread& thread = wave.threads[lane];
  const WaveOp& op = *thread.wave_op;
  const int source = op.argument;
  const bool exists = source >= 0 && source < wave.lanes;
  const char* const why = !exists                            ? "its wave does not have"
                          : (wave.exited >> source & 1) != 0 ? "has ended"
                                                             : "does not take part";
  report(ReportKind::uninitialised_read,
         fmt::format("{}, lane {} of its wave, shuffles from lane {}, which {}",
                     text_of(id_of(thread)), lane, source, why),
         {{op.pc, id_of(thread)}});
}

void Engine::report_wave_divergence(const Wave& wave, int lane) {
  const Thread& thread = wave.threads[lane];
  const WaveOp& op = *thread.wave_op;
  const std::uint64_t named = op.mask & first_lanes(wave.lanes) & ~wave.exited;
  const std::uint64_t missing =
      named & ~lanes_where(wave.in_op, [&](int other) { return same_op(op, op_of(wave, other)); });
  if (missing == 0) return;
  const Thread& other = wave.threads[std::countr_zero(missing)];
  const bool at_barrier = other.state == ThreadState::at_barrier;
  const std::uintptr_t elsewhere = at_barrier ? other.barrier_site : other.wave_op->pc;
  std::string message;
  on_main_stack([&] {
    message = fmt::format(
        "{} waits in a wave operation at {}; its mask {:#x} names lane {} too, "
        "but thread {} waits at {}",
        text_of(id_of(thread)), place_of(op.pc), op.mask, other.lane, other.index,
        place_of(elsewhere));
  });
  report(ReportKind::barrier_divergence, std::move(message),
         {{op.pc, id_of(thread)}, {elsewhere, id_of(other)}});
}

}  // namespace rankle::sim
