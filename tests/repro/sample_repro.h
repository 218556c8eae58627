// A repro with every field set, for tests of files, explanations and commands.
#pragma once

#include "repro/repro_file.h"
#include "tests/repro/scripted_executor.h"

namespace rankle::test {

inline Repro sample_repro() {
  Repro repro;
  repro.rankle = "0.1.0";
  repro.commit = "0123456789ab";
  repro.platform = "sim";
  repro.signature = scripted_signature();
  repro.finding = scripted_finding();
  Finding wrong;
  wrong.kind = FindingKind::wrong_result;
  wrong.subkind = "stale-round";
  wrong.message = "3 of 520 elements of rank 1 are wrong, the first is element 65";
  wrong.details = {"element 65 of rank 1 holds round 1's value in round 2"};
  repro.further = {wrong};
  repro.failing = large_case();
  repro.failing.world = 4;
  repro.failing.dtype = DType::bf16;
  repro.failing.shape = {4168};  // 521 packs: 130 each, 131 for the last rank
  repro.failing.geometry = {2, 256, 64};
  repro.failing.input_offset.assign(4, 0);
  repro.failing.output_offset.assign(4, 0);
  repro.failing.program = {{StepKind::fill, 1}, {StepKind::call, 0}, {StepKind::check, 1}};
  repro.failing.schedule = {};
  repro.options.deadline_s = 10;
  repro.trace_hash = 0xdeadbeef;
  repro.variants.assign(4, "scripted<tail>");
  repro.seed = 7;
  repro.case_index = 41;
  repro.selection = {"allreduce/*@*", {4, 8}, {"bf16"}};
  repro.minimised = MinimisedNote{120, 17, 1.5, "minimal"};
  repro.original_case = large_case();
  return repro;
}

}  // namespace rankle::test
