// What a stream does to memory on its own: copies and fills, checked as accesses, initialised bits
// and all, and the two ends of stream-ordered allocation.
#pragma once

#include "sim/stream.h"

namespace rankle::sim {

void transfer_copy(const Op& op);
void transfer_fill(const Op& op);
void transfer_allocate(const Op& op);
void transfer_release(const Op& op);

}  // namespace rankle::sim
