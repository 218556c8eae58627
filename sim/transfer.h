// Copies and fills that a stream carries out: checked as accesses, initialised bits and all.
#pragma once

#include "sim/stream.h"

namespace rankle::sim {

void transfer_copy(const Op& op);
void transfer_fill(const Op& op);

}  // namespace rankle::sim
