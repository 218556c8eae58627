// Candidates in the order of complexity()'s fields. Each offer is checked on the way in, so that a
// rule forgotten here costs a candidate and never an invalid case or an endless loop.
#include "generators/shrink.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "generators/accum.h"
#include "generators/shrink_program.h"
#include "generators/tiling.h"

namespace rankle {
namespace {

class Shrinker {
 public:
  Shrinker(const Case& from, const Contract& contract)
      : from_(from),
        contract_(contract),
        measure_(complexity(from)),
        tiling_(Tiling::of(from.bytes(), std::max(1, from.world),
                           std::max(1, from.geometry.threads))) {}

  std::vector<Case> operator()() {
    shrink_program();
    shrink_world();
    shrink_blocks();
    shrink_threads();
    shrink_dtype();
    shrink_count();
    shrink_buffers();
    shrink_schedule();
    shrink_perturbation();
    shrink_seeds();
    return std::move(found_);
  }

 private:
  // Call shapes go along with the case: what they had in common with it stays so, and their counts
  // keep to their share of the payload, or at most to the whole of it.
  void follow(Case& c) const {
    if (c.call_shapes != from_.call_shapes) return;
    const std::int64_t bytes = c.bytes();
    for (CallShape& shape : c.call_shapes) {
      const auto old_size = static_cast<std::int64_t>(size_of(shape.dtype));
      std::int64_t shape_bytes = shape.count * old_size;
      if (shape.dtype == from_.dtype && shape.accum == from_.accum) {
        shape.dtype = c.dtype;
        shape.accum = c.accum;
      }
      if (shape.blocks == from_.geometry.blocks) shape.blocks = c.geometry.blocks;
      if (shape.threads == from_.geometry.threads) shape.threads = c.geometry.threads;
      if (bytes < from_.bytes()) {
        const double share = static_cast<double>(bytes) / static_cast<double>(from_.bytes());
        shape_bytes = static_cast<std::int64_t>(static_cast<double>(shape_bytes) * share);
      }
      const std::int64_t granule = granule_bytes(contract_, shape.dtype);
      shape.count = std::min(shape_bytes, bytes) / granule * granule /
                    static_cast<std::int64_t>(size_of(shape.dtype));
    }
  }

  void offer(Case candidate) {
    follow(candidate);
    if (!(complexity(candidate) < measure_) || validate(candidate, contract_)) return;
    if (std::find(found_.begin(), found_.end(), candidate) != found_.end()) return;
    found_.push_back(std::move(candidate));
  }

  template <class Edit>
  void offer_with(Edit edit) {
    Case candidate = from_;
    edit(candidate);
    offer(std::move(candidate));
  }

  // One dimension of as many whole granules as `bytes` holds.
  void set_bytes(Case& c, std::int64_t bytes) const {
    const std::int64_t granule = granule_bytes(contract_, c.dtype);
    c.shape = {std::max<std::int64_t>(bytes, 0) / granule * granule /
               static_cast<std::int64_t>(size_of(c.dtype))};
  }

  int blocks_or_guess() const {
    if (from_.geometry.blocks > 0) return from_.geometry.blocks;
    return own_blocks(from_.bytes() / kPackBytes, from_.geometry.threads, contract_.blocks_max);
  }

  void shrink_program() {
    for (Case& candidate : detail::smaller_programs(from_, contract_)) offer(std::move(candidate));
  }

  void shrink_world() {
    std::vector<int> worlds = contract_.worlds;
    std::sort(worlds.begin(), worlds.end());
    for (const int world : worlds) {
      if (world >= from_.world) break;
      const auto fewer_ranks = [&](Case& c) {
        c.world = world;
        c.input_offset.resize(static_cast<std::size_t>(world));
        c.output_offset.resize(static_cast<std::size_t>(world));
        for (Step& step : c.program) step.rank = std::min(step.rank, world - 1);
      };
      Tiling tiling = tiling_;
      tiling.world = world;
      tiling.remainder = std::min<std::int64_t>(tiling.remainder, world - 1);
      // Parts and rows as before, so that every rank does what it did.
      offer_with([&](Case& c) {
        fewer_ranks(c);
        c.geometry.threads = static_cast<int>(tiling.row * world);
        set_bytes(c, tiling.bytes());
      });
      offer_with([&](Case& c) {
        fewer_ranks(c);
        set_bytes(c, tiling.bytes());
      });
      // As many tiles, of the longer rows that fewer ranks leave, and the tail as before.
      offer_with([&](Case& c) {
        fewer_ranks(c);
        Tiling longer = tiling;
        longer.row = std::max(1, from_.geometry.threads / world);
        longer.part = tiling.part / tiling.row * longer.row + tiling.part % tiling.row;
        set_bytes(c, longer.bytes());
      });
      offer_with(fewer_ranks);
    }
  }

  void shrink_blocks() {
    const int guess = blocks_or_guess();
    const std::int64_t old_grid = guess * tiling_.row;
    for (const int blocks : {1, 2, guess / 2, guess - 1, guess}) {
      if (blocks < 1) continue;
      const std::int64_t grid = blocks * tiling_.row;
      // As many trips of the grid and, as far as it fits, as long a tail.
      const std::int64_t tail = tiling_.part % old_grid;
      offer_with([&](Case& c) {
        Tiling tiling = tiling_;
        tiling.part = tiling_.part / old_grid * grid + (tail < grid ? tail : tail % tiling_.row);
        c.geometry.blocks = blocks;
        set_bytes(c, tiling.bytes());
      });
      offer_with([&](Case& c) { c.geometry.blocks = blocks; });
    }
  }

  void shrink_threads() {
    const int threads = from_.geometry.threads;
    std::vector<int> fewer{contract_.threads_min,
                           64,
                           128,
                           256,
                           512,
                           threads / 2,
                           threads - from_.geometry.wave,
                           threads - contract_.threads_multiple};
    for (int& value : fewer) value -= value % contract_.threads_multiple;
    std::sort(fewer.begin(), fewer.end());
    for (const int value : fewer) {
      if (value < contract_.threads_min || value >= threads) continue;
      const std::int64_t row = std::max(1, value / tiling_.world);
      // As many tiles, and a tail that stays one.
      offer_with([&](Case& c) {
        Tiling tiling = tiling_;
        const std::int64_t tail = std::min(tiling_.part % tiling_.row, row - 1);
        tiling.part = tiling_.part / tiling_.row * row + tail;
        c.geometry.threads = value;
        set_bytes(c, tiling.bytes());
      });
      offer_with([&](Case& c) { c.geometry.threads = value; });
    }
  }

  void shrink_dtype() {
    std::vector<DType> dtypes = contract_.dtypes;
    std::sort(dtypes.begin(), dtypes.end(),
              [](DType a, DType b) { return rank_of(a) < rank_of(b); });
    const auto old_size = static_cast<std::int64_t>(size_of(from_.dtype));
    for (const DType dtype : dtypes) {
      if (rank_of(dtype) >= rank_of(from_.dtype)) break;
      const auto size = static_cast<std::int64_t>(size_of(dtype));
      const std::vector<Accum> accums = accums_for(contract_, dtype);
      const auto simpler = [&](Case& c) {
        c.dtype = dtype;
        if (std::find(accums.begin(), accums.end(), c.accum) == accums.end()) {
          c.accum = accums.front();
        }
      };
      // The same bytes, hence the same packs, at the same addresses.
      offer_with([&](Case& c) {
        simpler(c);
        for (auto* offsets : {&c.input_offset, &c.output_offset}) {
          for (std::int64_t& offset : *offsets) offset = offset * old_size / size;
        }
        set_bytes(c, from_.bytes());
      });
      if (size <= old_size) offer_with(simpler);
    }
  }

  // Payloads per rank worth trying, boldest first.
  std::vector<std::int64_t> fewer_bytes() const {
    const std::int64_t bytes = from_.bytes();
    const std::int64_t granule = granule_bytes(contract_, from_.dtype);
    const std::int64_t world_packs = from_.world * kPackBytes;
    std::vector<std::int64_t> sizes{0, granule, kPackBytes};
    for (int packs = 2; packs < from_.world; ++packs) sizes.push_back(packs * kPackBytes);
    const std::int64_t grid = tiling_.row * blocks_or_guess();
    const int wave = from_.geometry.wave;
    for (const std::int64_t base : {std::int64_t{0}, tiling_.row, grid, 2 * grid}) {
      for (const std::int64_t tail :
           {std::int64_t{0}, std::int64_t{1}, std::int64_t{wave - 1}, std::int64_t{wave},
            std::int64_t{wave + 1}, tiling_.part % tiling_.row, tiling_.row - 1}) {
        sizes.push_back((base + tail) * world_packs);
        sizes.push_back((base + tail) * world_packs + kPackBytes);
      }
    }
    std::sort(sizes.begin(), sizes.end());
    sizes.push_back(bytes / 2);
    sizes.push_back(bytes - bytes / 4);
    sizes.push_back((tiling_.part - grid) * world_packs + tiling_.remainder * kPackBytes);
    sizes.push_back((tiling_.part - tiling_.row) * world_packs + tiling_.remainder * kPackBytes);
    sizes.push_back(bytes - tiling_.loose_bytes);
    sizes.push_back(bytes - tiling_.loose_bytes - tiling_.remainder * kPackBytes);
    sizes.push_back(bytes - world_packs);
    sizes.push_back(bytes - kPackBytes);
    sizes.push_back(bytes - granule);
    return sizes;
  }

  void shrink_count() {
    for (const std::int64_t bytes : fewer_bytes()) {
      if (bytes < 0 || bytes >= from_.bytes()) continue;
      offer_with([&](Case& c) { set_bytes(c, bytes); });
    }
    if (from_.shape.size() < 2) return;
    offer_with([&](Case& c) { c.shape = {from_.count()}; });
    // Fewer rows of the same length, for kernels that look at the row.
    for (const std::int64_t rows : {std::int64_t{1}, from_.shape[0] / 2, from_.shape[0] - 1}) {
      offer_with([&](Case& c) { c.shape[0] = rows; });
    }
  }

  void shrink_buffers() {
    for (const Accum accum : accums_for(contract_, from_.dtype)) {
      offer_with([&](Case& c) { c.accum = accum; });
    }
    offer_with([](Case& c) { c.in_place = false; });
    const auto clear = [](std::vector<std::int64_t>& offsets) {
      std::fill(offsets.begin(), offsets.end(), 0);
    };
    offer_with([&](Case& c) {
      clear(c.input_offset);
      clear(c.output_offset);
    });
    offer_with([&](Case& c) { clear(c.input_offset); });
    offer_with([&](Case& c) { clear(c.output_offset); });
    const std::int64_t step = offset_step(contract_, from_.dtype);
    for (std::size_t rank = 0; rank < from_.input_offset.size(); ++rank) {
      for (const std::int64_t offset : {std::int64_t{0}, step}) {
        const auto move = [&](std::vector<std::int64_t>& offsets) {
          if (rank < offsets.size()) offsets[rank] = std::min(offsets[rank], offset);
        };
        if (from_.in_place) {
          offer_with([&](Case& c) {
            move(c.input_offset);
            move(c.output_offset);
          });
        } else {
          offer_with([&](Case& c) { move(c.input_offset); });
          offer_with([&](Case& c) { move(c.output_offset); });
        }
      }
    }
    offer_with([](Case& c) {
      c.inputs = Inputs::exact_integers;
      c.same_bits_as.clear();
    });
    offer_with([](Case& c) { c.inputs = Inputs::rounding; });
  }

  // A policy that draws nothing.
  static Schedule without_policy(Schedule schedule, Policy policy) {
    schedule.policy = policy;
    schedule.seed = 0;
    schedule.depth = 0;
    schedule.horizon = 0;
    return schedule;
  }

  void shrink_schedule() {
    offer_with([](Case& c) {
      c.schedule = without_policy(c.schedule, Policy::run_to_block);
      c.schedule.switches.clear();
    });
    if (from_.schedule.switches.empty()) {
      offer_with([](Case& c) { c.schedule = without_policy(c.schedule, Policy::round_robin); });
    }
    if (from_.schedule.depth > 1) {
      offer_with([](Case& c) { c.schedule.depth = 1; });
      offer_with([](Case& c) { --c.schedule.depth; });
    }
    shrink_switches();
    offer_with([](Case& c) { c.schedule.granularity = Granularity::sync; });
    offer_with([](Case& c) { c.schedule.weak_memory = 0; });
    for (const int resident : {0, 1}) {
      offer_with([=](Case& c) { c.geometry.resident_blocks = resident; });
    }
    offer_with([](Case& c) {
      c.geometry.wave = 64;
      c.schedule.barrier_model = BarrierModel::amd;
    });
    offer_with([](Case& c) { c.geometry.wave = 64; });
    offer_with([](Case& c) { c.schedule.barrier_model = BarrierModel::amd; });
  }

  void shrink_perturbation() {
    offer_with([](Case& c) { c.perturbation = {}; });
    offer_with([](Case& c) { c.perturbation.traffic_blocks = c.perturbation.occupier_blocks = 0; });
    offer_with([](Case& c) { c.perturbation.traffic_blocks = 0; });
    offer_with([](Case& c) { c.perturbation.occupier_blocks = 0; });
    offer_with([](Case& c) { c.perturbation.host_delay_max = 0; });
    offer_with([](Case& c) { c.perturbation.device_delay_max = 0; });
    offer_with([](Case& c) { c.perturbation.warm_graphs = false; });
  }

  // Drops runs of switches, halves first, down to single ones.
  void shrink_switches() {
    const std::size_t count = from_.schedule.switches.size();
    constexpr std::size_t kRunsMax = 64;  // longer lists lose long runs first and come back
    for (std::size_t run = (count + 1) / 2; run > 0; run /= 2) {
      if ((count + run - 1) / run > kRunsMax) break;
      for (std::size_t begin = 0; begin < count; begin += run) {
        offer_with([&](Case& c) {
          auto& switches = c.schedule.switches;
          switches.erase(
              switches.begin() + static_cast<std::ptrdiff_t>(begin),
              switches.begin() + static_cast<std::ptrdiff_t>(std::min(begin + run, count)));
        });
      }
    }
  }

  void shrink_seeds() {
    offer_with([](Case& c) { c.schedule.seed = c.seed = 0; });
    for (const std::uint64_t seed : {0, 1}) {
      offer_with([&](Case& c) { c.schedule.seed = seed; });
      offer_with([&](Case& c) { c.seed = seed; });
    }
  }

  const Case& from_;
  const Contract& contract_;
  const Complexity measure_;
  const Tiling tiling_;
  std::vector<Case> found_;
};

}  // namespace

std::vector<Case> smaller_cases(const Case& c, const Contract& contract) {
  return Shrinker(c, contract)();
}

rc::Seq<Case> shrink(const Case& c, const Contract& contract) {
  return rc::seq::fromContainer(smaller_cases(c, contract));
}

}  // namespace rankle
