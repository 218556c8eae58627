// The part of a check that a device does: comparing output, rest and input of a pair where they
// lie. Where something differs, the host reads everything back and judges it as it always does.
#pragma once

#include <hip/hip_runtime.h>

#include "harness/runner/device_data.h"
#include "harness/runner/judge.h"
#include "harness/runner/oracle.h"
#include "harness/runner/rank_state.h"

namespace rankle {

class DeviceChecks {
 public:
  DeviceChecks(RankState& state, const FamilyOracle& oracle) : state_(state), oracle_(oracle) {}

  // Waits. False if a call failed; else `clean` says that nothing differs. Never clean where a
  // device cannot tell: on the simulator, with a reference, for other than exact values.
  bool look(const CheckPlace& place, const BufferState& known, bool& clean);

 private:
  bool can_judge(const CheckPlace& place, const BufferState& known) const;

  RankState& state_;
  const FamilyOracle& oracle_;
};

}  // namespace rankle
