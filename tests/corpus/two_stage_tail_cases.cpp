// Shapes from public reports and from models: rows around 1024 of 512, rows of 2880 as they come in
// decoding, sizes around 1 MiB, tails that end inside or next to a wave, and parts of unequal
// length.
#include "tests/corpus/two_stage_tail_cases.h"

#include <fmt/format.h>

#include "generators/dtype.h"

namespace rankle {
namespace {

constexpr std::int64_t kPack = 16;
constexpr std::int64_t kMiB = std::int64_t{1} << 20;

Case case_of(int world, DType dtype, std::vector<std::int64_t> shape) {
  Case c;
  c.target = "allreduce/two_stage_tail";
  c.world = world;
  c.dtype = dtype;
  c.shape = std::move(shape);
  c.input_offset.assign(static_cast<std::size_t>(world), 0);
  c.output_offset = c.input_offset;
  // The second round finds the first one's sums in the scratch.
  c.program = {{StepKind::fill, 0}, {StepKind::poison_output, 0}, {StepKind::poison_scratch, 0},
               {StepKind::call, 0}, {StepKind::check, 0},         {StepKind::fill, 1},
               {StepKind::call, 0}, {StepKind::sync, 0},          {StepKind::check, 1}};
  c.schedule.policy = Policy::random;
  c.schedule.seed = 1;
  c.seed = 1;
  return c;
}

Case of_bytes(int world, std::int64_t bytes) {
  return case_of(world, DType::bf16, {bytes / static_cast<std::int64_t>(size_of(DType::bf16))});
}

void add_flattened_rows(std::vector<NamedCase>& out) {
  for (const int world : {2, 4}) {
    for (const DType dtype : {DType::bf16, DType::fp16, DType::fp32}) {
      for (const std::int64_t rows : {1023, 1024, 1025}) {
        out.push_back({fmt::format("rows-{}x512-{}-w{}", rows, name_of(dtype), world),
                       case_of(world, dtype, {rows * 512})});
      }
    }
  }
}

void add_around_one_mebibyte(std::vector<NamedCase>& out) {
  for (const std::int64_t more : {-64, 0, 64, 63 * 64, 64 * 64, 65 * 64}) {
    out.push_back(
        {fmt::format("1mib{}{}-w4", more < 0 ? "-minus-" : "-plus-", more < 0 ? -more : more),
         of_bytes(4, kMiB + more)});
  }
}

// Two complete tiles of 128 packs per rank, and a tail.
void add_tails(std::vector<NamedCase>& out) {
  constexpr int kWorld = 4;
  for (const std::int64_t tail : {1, 63, 64, 65, 127}) {
    Case c = of_bytes(kWorld, kWorld * (2 * 128 + tail) * kPack);
    c.geometry.blocks = 1;
    out.push_back({fmt::format("tail-{}-packs-w{}", tail, kWorld), std::move(c)});
  }
}

// As many packs too many as there may be: the last rank's part is longer than the others, whose
// parts end in whole tiles.
void add_unequal_parts(std::vector<NamedCase>& out) {
  for (const int world : {2, 4}) {
    const std::int64_t tile = 512 / world;
    Case c = of_bytes(world, (world * 2 * tile + world - 1) * kPack);
    c.geometry.blocks = 1;
    out.push_back({fmt::format("unequal-w{}", world), std::move(c)});
  }
}

void add_rows_of_2880(std::vector<NamedCase>& out) {
  for (const int world : {2, 4, 6, 8}) {
    for (const std::int64_t rows : {120, 121, 127, 157, 160, 161, 256, 512}) {
      out.push_back({fmt::format("rows-{}x2880-w{}", rows, world),
                     case_of(world, DType::bf16, {rows, 2880})});
    }
  }
}

void add_powers_of_two(std::vector<NamedCase>& out) {
  for (std::int64_t bytes = 8 << 10; bytes <= 8 * kMiB; bytes *= 2) {
    out.push_back({fmt::format("{}kib-w4", bytes >> 10), of_bytes(4, bytes)});
  }
}

}  // namespace

std::vector<NamedCase> two_stage_tail_cases() {
  std::vector<NamedCase> cases;
  add_flattened_rows(cases);
  add_around_one_mebibyte(cases);
  add_tails(cases);
  add_unequal_parts(cases);
  add_rows_of_2880(cases);
  add_powers_of_two(cases);
  return cases;
}

}  // namespace rankle
