// What libFuzzer calls: a real launch on the simulator each time, a fresh machine each time. Aborts
// if the kernel computed a wrong value or the simulator reported anything. At the end it says how
// far the secret word was opened, for link_test.sh.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "sim/machine.h"
#include "tests/fuzzer_link/probe_kernel.h"

namespace {

using rankle::fuzzer_link::kThreads;
using rankle::fuzzer_link::Probe;

std::uint64_t g_executions = 0;
std::uint32_t g_door = 0;

void say_what_was_done() {
  std::fprintf(stderr, "executions: %llu\ndoor: %u of 4\n",
               static_cast<unsigned long long>(g_executions), g_door);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  std::atexit(say_what_was_done);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::array<std::uint8_t, kThreads> bytes{};
  std::copy_n(data, std::min(size, bytes.size()), bytes.begin());

  Probe probe;
  bool ran = false;
  const rankle::sim::Result result =
      rankle::sim::run(rankle::sim::Config{}, [&](int) { ran = run_probe(bytes.data(), probe); });

  std::uint32_t sum = 0;
  for (const std::uint8_t byte : bytes) sum += byte;
  if (!ran || !result.reports.empty() || probe.sum != sum) {
    std::fprintf(stderr, "the kernel went wrong: ran %d, reports %zu, sum %u, expected %u\n",
                 static_cast<int>(ran), result.reports.size(), probe.sum, sum);
    std::abort();
  }
  ++g_executions;
  g_door = std::max(g_door, probe.door);
  return 0;
}
