// Host functions in a stream (hipLaunchHostFunc): ordinary code that runs between the operations
// before and behind it, on no rank's own thread. HIP forbids it to call HIP. Its accesses to pinned
// memory are checked and ordered as an operation's of its stream.
#pragma once

#include "sim/stream.h"

namespace rankle::sim {

// Runs to the end: like a rank's own host code it is not interrupted.
void run_host_function(const Op& op);

// The one that runs now; nullptr while anything else does.
const Op* running_host_function();

}  // namespace rankle::sim
