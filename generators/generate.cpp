// Draws a case field by field, in the order in which one bounds the next: size class, world,
// threads, blocks, payload, buffers, program, schedule.
#include "generators/generate.h"

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <utility>

#include "generators/accum.h"
#include "generators/case_json.h"
#include "generators/dice.h"
#include "generators/draw_count.h"
#include "generators/draw_program.h"
#include "generators/limits.h"
#include "generators/shrink.h"
#include "generators/tiling.h"

namespace rankle {
namespace {

// Of the tiny and small cases of the default mix.
constexpr int kProgramsPercent = 25;

// Of all cases: too few to slow the rest down, enough to find who needs a whole grid at once.
constexpr int kResidencyPercent = 12;

using detail::CountRange;
using detail::Dice;

// `offered` restricted to `wanted`; all of it if nothing is wanted.
template <class T>
std::vector<T> narrowed(const std::vector<T>& offered, const std::vector<T>& wanted) {
  if (wanted.empty()) return offered;
  std::vector<T> both;
  for (const T& value : offered) {
    if (std::find(wanted.begin(), wanted.end(), value) != wanted.end()) both.push_back(value);
  }
  return both;
}

std::vector<const Contract*> admitted(const std::vector<Contract>& contracts, const Draw& draw) {
  std::vector<const Contract*> fitting;
  for (const Contract& contract : contracts) {
    if (admits(contract, draw)) fitting.push_back(&contract);
  }
  if (fitting.empty()) throw std::invalid_argument("no contract admits the draw");
  return fitting;
}

class CaseDrawer {
 public:
  CaseDrawer(const Contract& contract, const Draw& draw, Dice& dice, int size)
      : contract_(contract), draw_(draw), dice_(dice), size_(std::clamp(size, 0, 100)) {}

  Case operator()() {
    case_.target = contract_.target;
    draw_size();
    case_.world = dice_.pick(narrowed(contract_.worlds, draw_.worlds));
    case_.dtype = dice_.pick(narrowed(contract_.dtypes, draw_.dtypes));
    case_.accum = dice_.pick(accums_for(contract_, case_.dtype));
    draw_wave();
    draw_threads();
    draw_blocks();
    case_.shape = detail::draw_shape(dice_, count_range());
    draw_buffers();
    if (draw_.rounding && !contract_.same_bits_as.empty() && dice_.percent(20)) {
      case_.inputs = Inputs::rounding;
      case_.same_bits_as = contract_.same_bits_as;
    }
    draw_program();
    draw_schedule();
    case_.seed = dice_.seed();
    draw_residency();
    if (draw_.perturbations) draw_perturbation();
    return std::move(case_);
  }

 private:
  void draw_size() {
    // Larger classes come in as RapidCheck's size grows; in units of a thousandth or so.
    const int large = std::max(0, size_ - 50) / 2;
    const std::size_t drawn =
        dice_.weighted({450 - 4 * size_, 400, 80 + 3 * size_, large, size_ >= 95 ? 4 : 0});
    size_class_ = std::min(static_cast<SizeClass>(drawn), draw_.size_max);
    if (draw_.programs == Programs::only) size_class_ = std::min(size_class_, SizeClass::small);
    is_program_ = draw_.programs == Programs::only ||
                  (draw_.programs == Programs::mixed && size_class_ <= SizeClass::small &&
                   dice_.percent(kProgramsPercent));
    limit_ = limit_of(size_class_);
  }

  void draw_wave() {
    case_.geometry.wave =
        draw_.waves.empty() ? (dice_.percent(50) ? 32 : 64) : dice_.pick(draw_.waves);
  }

  // The nearest number of threads that the contract allows.
  int allowed_threads(std::int64_t threads, int max) const {
    const int multiple = contract_.threads_multiple;
    const std::int64_t lowest = (contract_.threads_min + multiple - 1) / multiple * multiple;
    return static_cast<int>(
        std::max<std::int64_t>(std::min<std::int64_t>(threads, max) / multiple * multiple, lowest));
  }

  void draw_threads() {
    const std::int64_t budget =
        std::min(limit_.threads, contract_.resident_threads_max) / case_.world;
    const int max = static_cast<int>(
        std::clamp<std::int64_t>(budget, contract_.threads_min, contract_.threads_max));
    const int world = case_.world;
    const int wave = case_.geometry.wave;
    constexpr std::array<int, 7> kUsual{64, 128, 192, 256, 384, 512, 1024};
    std::int64_t threads = 0;
    switch (dice_.weighted({60, 15, 15, 10})) {
      case 0:
        threads = kUsual[dice_.below(kUsual.size())];
        break;
      case 1:  // round a multiple of the world size, where groups gain or lose a lane
        threads = world * dice_.between(contract_.threads_min / world, max / world) +
                  dice_.between(-1, 1);
        break;
      case 2:  // round a multiple of the wave
        threads = wave * dice_.between(1, std::max(1, max / wave)) + dice_.between(-1, 1);
        break;
      default:
        threads = dice_.between(contract_.threads_min, max);
    }
    case_.geometry.threads = allowed_threads(threads, max);
  }

  void draw_blocks() {
    const std::int64_t per_block = std::int64_t{case_.world} * case_.geometry.threads;
    const std::int64_t threads = std::min(limit_.threads, contract_.resident_threads_max);
    blocks_max_ =
        static_cast<int>(std::clamp<std::int64_t>(threads / per_block, 1, contract_.blocks_max));
    const bool own_fits = per_block * contract_.blocks_max <= contract_.resident_threads_max;
    if (own_fits && dice_.percent(40)) {
      case_.geometry.blocks = 0;
      return;
    }
    constexpr std::array<int, 3> kFew{1, 2, 3};
    const std::size_t kind = dice_.weighted({45, 25, 10, 20});
    const int blocks =
        kind < kFew.size() ? kFew[kind] : static_cast<int>(dice_.between(1, blocks_max_));
    case_.geometry.blocks = std::min(blocks, blocks_max_);
  }

  CountRange count_range() {
    const Geometry& geometry = case_.geometry;
    std::int64_t bytes = std::min(payload_bytes_max(contract_, case_.dtype, case_.world),
                                  limit_.bytes / case_.world);
    int blocks = geometry.blocks;
    if (blocks == 0) {
      // A grid of the target's own choice grows with the payload.
      if (blocks_max_ < contract_.blocks_max) {
        bytes = std::min(bytes, std::int64_t{blocks_max_} * geometry.threads * kPackBytes);
      }
      blocks = static_cast<int>(dice_.between(1, std::min(blocks_max_, 4)));
      if (dice_.percent(10)) blocks = contract_.blocks_max;
    }
    return {contract_, case_.dtype, case_.world, geometry.threads, geometry.wave, blocks, bytes};
  }

  void draw_offsets(std::vector<std::int64_t>& offsets, std::int64_t step) {
    offsets.assign(static_cast<std::size_t>(case_.world), 0);
    // Up to twice the alignment of buffers, so that offsets cross it.
    const std::int64_t size = static_cast<std::int64_t>(size_of(case_.dtype));
    const std::int64_t steps_max =
        std::min(kOffsetElementsMax / step,
                 std::max<std::int64_t>(1, 2 * kBufferAlignmentBytes / (step * size)));
    if (steps_max < 1) return;
    switch (dice_.weighted({50, 15, 35})) {
      case 1: {
        const std::int64_t same = dice_.between(1, steps_max) * step;
        std::fill(offsets.begin(), offsets.end(), same);
        break;
      }
      case 2:
        for (std::int64_t& offset : offsets) {
          if (dice_.percent(60)) offset = dice_.between(1, steps_max) * step;
        }
        break;
      default:
        break;
    }
  }

  void draw_buffers() {
    const std::int64_t step = offset_step(contract_, case_.dtype);
    draw_offsets(case_.input_offset, step);
    case_.in_place = contract_.in_place && dice_.percent(25);
    if (case_.in_place) {
      case_.output_offset = case_.input_offset;
    } else {
      draw_offsets(case_.output_offset, step);
    }
  }

  void draw_program() {
    if (is_program_) {
      const auto dtypes = narrowed(contract_.dtypes, draw_.dtypes);
      detail::draw_program(dice_, contract_, dtypes, case_);
    } else {
      case_.program = detail::draw_rounds(dice_, case_.in_place, size_class_ >= SizeClass::large);
    }
  }

  void draw_schedule() {
    Schedule& schedule = case_.schedule;
    constexpr std::array kPolicies{Policy::run_to_block, Policy::round_robin, Policy::random,
                                   Policy::pct,          Policy::starvation,  Policy::rank_late,
                                   Policy::rank_early};
    schedule.policy = draw_.policies.empty()
                          ? kPolicies[dice_.weighted({11, 14, 25, 15, 13, 11, 11})]
                          : dice_.pick(draw_.policies);
    schedule.seed = dice_.seed();
    if (schedule.policy == Policy::pct) schedule.depth = static_cast<int>(dice_.between(1, 5));
    // How many steps a run takes is known afterwards only; every order of magnitude gets its turn.
    if (has_horizon(schedule.policy)) {
      const auto doublings = dice_.between(6, 16);
      schedule.horizon = static_cast<std::uint64_t>(
          dice_.between(std::int64_t{1} << doublings, std::int64_t{2} << doublings));
    }
    // Switching at every access is slow, so only where there is little to run.
    const bool access = size_class_ <= SizeClass::small && dice_.percent(4);
    schedule.granularity =
        draw_.granularity.value_or(access ? Granularity::access : Granularity::sync);
    const bool nvidia = case_.geometry.wave == 32 && dice_.percent(60);
    schedule.barrier_model =
        draw_.barrier_model.value_or(nvidia ? BarrierModel::nvidia : BarrierModel::amd);
    if (draw_.weak_memory) schedule.weak_memory = std::max<std::uint64_t>(dice_.seed(), 1);
  }

  // No kernel may count on all of its blocks to run at once: the device may be smaller than the
  // grid, or busy. Small numbers, because grids are small.
  void draw_residency() {
    if (dice_.percent(kResidencyPercent)) {
      case_.geometry.resident_blocks = 1 + static_cast<int>(dice_.weighted({60, 25, 15}));
    }
  }

  // Each source of skew by itself and with others; delays from less than a launch takes to many
  // times a collective.
  void draw_perturbation() {
    Perturbation& perturbation = case_.perturbation;
    const auto delay = [&] { return std::int64_t{500} << dice_.between(0, 8); };
    if (dice_.percent(40)) perturbation.host_delay_max = delay();
    if (dice_.percent(40)) perturbation.device_delay_max = delay();
    if (perturbation.host_delay_max + perturbation.device_delay_max > 0) {
      perturbation.seed = dice_.seed();
    }
    const auto blocks = [&] { return static_cast<int>(dice_.between(1, 16)); };
    if (dice_.percent(15)) perturbation.traffic_blocks = blocks();
    if (dice_.percent(15)) perturbation.occupier_blocks = blocks();
    perturbation.warm_graphs = dice_.percent(50);
  }

  const Contract& contract_;
  const Draw& draw_;
  Dice& dice_;
  int size_;
  SizeClass size_class_ = SizeClass::tiny;
  SizeLimit limit_{};
  bool is_program_ = false;  // of all kinds of steps
  int blocks_max_ = 1;
  Case case_;
};

Case draw_from(const std::vector<const Contract*>& contracts, const Draw& draw,
               const rc::Random& random, int size, const Contract** drawn_from) {
  Dice dice(random);
  const Contract* contract = dice.pick(contracts);
  if (drawn_from != nullptr) *drawn_from = contract;
  return CaseDrawer(*contract, draw, dice, size)();
}

}  // namespace

SizeLimit limit_of(SizeClass size) {
  switch (size) {
    case SizeClass::tiny:
      return {512, std::int64_t{32} << 10};
    case SizeClass::small:
      return {2048, std::int64_t{128} << 10};
    case SizeClass::medium:
      return {8192, std::int64_t{1} << 20};
    case SizeClass::large:
      return {65536, std::int64_t{8} << 20};
    case SizeClass::huge:
      break;
  }
  return {kThreadsAtOnceMax, std::int64_t{64} << 20};
}

bool admits(const Contract& contract, const Draw& draw) {
  return !narrowed(contract.worlds, draw.worlds).empty() &&
         !narrowed(contract.dtypes, draw.dtypes).empty();
}

rc::Gen<Case> cases_of(const std::vector<Contract>& contracts, const Draw& draw) {
  // Owned by the generator and by every case drawn from it, whose shrinks need the contract.
  struct Source {
    std::vector<Contract> contracts;
    Draw draw;
    std::vector<const Contract*> admitted;
  };
  const auto source = std::make_shared<Source>(Source{contracts, draw, {}});
  source->admitted = admitted(source->contracts, source->draw);
  return [source](const rc::Random& random, int size) {
    const Contract* contract = nullptr;
    Case c = draw_from(source->admitted, source->draw, random, size, &contract);
    return rc::shrinkable::shrinkRecur(
        std::move(c), [source, contract](const Case& from) { return shrink(from, *contract); });
  };
}

Case draw_case(const std::vector<Contract>& contracts, const Draw& draw, std::uint64_t seed,
               std::uint64_t index) {
  const rc::Random random(rc::Random::Key{seed, index, 0, 0});
  return draw_from(admitted(contracts, draw), draw, random, static_cast<int>(index % kSizeCycle),
                   nullptr);
}

void showValue(const Case& c, std::ostream& os) { os << case_to_text(c); }

}  // namespace rankle
