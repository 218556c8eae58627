// The kernel of the libFuzzer link test, behind a plain function: only probe_kernel.cpp is compiled
// as kernels are.
#pragma once

#include <cstdint>

namespace rankle::fuzzer_link {

inline constexpr int kThreads = 4;

struct Probe {
  std::uint32_t sum = 0;   // of the first kThreads bytes, added up by one thread after a barrier
  std::uint32_t door = 0;  // how many bytes of the secret word were right, from the left
};

// Runs the kernel on device 0 of the running machine. `bytes` are kThreads host bytes.
// Returns false if a HIP call failed.
bool run_probe(const std::uint8_t* bytes, Probe& result);

}  // namespace rankle::fuzzer_link
