// Judges what one rank has read back for a check, and files what it finds with the run.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "harness/runner/judge.h"
#include "harness/runner/program.h"
#include "harness/runner/rank_state.h"

namespace rankle {

// One check's copies of a pair. Whole buffers.
struct CheckCopies {
  std::span<const std::byte> output;
  std::span<const std::byte> input;     // empty: not looked at, as in place
  std::span<const std::byte> promised;  // the reference's output; empty without a reference
};

class RankJudge {
 public:
  RankJudge(ProgramRun& run, RankState& state) : run_(run), state_(state) {}

  // `known` is what the buffers were known to hold when they were copied. With the bits of a
  // reference, and `all_ranks`, collective: ranks are compared with each other as well. False if
  // the run was stopped.
  bool judge(const CheckPlace& place, const BufferState& known, const CheckCopies& copies,
             bool all_ranks);
  // A whole input, or a copy of one (`name` is "input" or "copied input").
  void judge_input(const CheckPlace& place, const Contents& expected, const std::string& name,
                   std::span<const std::byte> actual);
  // Reads and judges red zones.
  bool judge_red_zones(const CheckPlace& place, const RankBuffers& pair);
  bool judge_red_zones(const CheckPlace& place, const GuardedBuffer& buffer);

 private:
  bool judge_output(const CheckPlace& place, const CheckCopies& copies, bool all_ranks);
  void judge_rest(const CheckPlace& place, const BufferState& known,
                  std::span<const std::byte> output);
  // The bytes of `contents` in a whole buffer.
  std::span<const std::byte> image_of(const Contents& contents);
  void report(const CheckPlace& place, std::vector<Finding> findings);

  ProgramRun& run_;
  RankState& state_;
  std::vector<std::byte> image_;
  Contents image_contents_;  // what image_ holds
};

}  // namespace rankle
