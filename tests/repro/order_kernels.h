// Two planted order bugs. Two blocks of one thread share a word; what block 1 saw tells whether the
// bad order happened.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdint>

namespace rankle::test {

// Block 0 sets words[0], then words[1]. Block 1 writes words[2] = 1 if it sees the first set and
// the second not: it has to run between the two (one switch, two ordering constraints).
void launch_torn_pair(std::uint32_t* words);

// Block 0 sets words[0] to 1, then to 2. Block 1 writes words[2] = 1 if it sees both values: the
// other has to run between its two reads (two switches, three ordering constraints).
void launch_seen_twice(std::uint32_t* words);

}  // namespace rankle::test
