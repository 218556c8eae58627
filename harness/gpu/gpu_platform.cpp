// device_hooks.h on real devices: ranks are threads of this process. Nothing watches their
// accesses; what a device itself notices, an illegal access or a hang, becomes a finding.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "harness/gpu/beside.h"
#include "harness/gpu/devices.h"
#include "harness/gpu/hang_report.h"
#include "harness/gpu/pinned_pool.h"
#include "harness/gpu/rank_threads.h"
#include "harness/gpu/stream_pool.h"
#include "harness/gpu/warm_up.h"
#include "harness/runner/device_hooks.h"

namespace rankle::device_hooks {
namespace {

using Clock = std::chrono::steady_clock;

// Of the deadline, what is left for reading the signals and telling the supervisor.
constexpr double kShareForRanks = 0.85;

const gpu::HangReporter& hang_reporter() {
  static const gpu::HangReporter reporter(gpu::device_count());
  static const hipError_t warm = gpu::reserve_local_memory(gpu::device_count());
  static_cast<void>(warm);  // a device that cannot do it says so at the first call
  return reporter;
}

// An error that the context does not recover from, as a finding.
std::optional<Finding> lasting_error() {
  for (int device = 0; device < gpu::device_count(); ++device) {
    static_cast<void>(hipSetDevice(device));
    const hipError_t error = hipDeviceSynchronize();
    if (error == hipSuccess) continue;
    Finding finding;
    finding.subkind = hipGetErrorName(error);
    // By name: not every version of HIP has both.
    finding.kind = finding.subkind.ends_with("IllegalAddress")      ? FindingKind::out_of_bounds
                   : finding.subkind.ends_with("MisalignedAddress") ? FindingKind::misaligned
                                                                    : FindingKind::crash;
    finding.message = fmt::format("a kernel ended with {} on device {}: {}", hipGetErrorName(error),
                                  device, hipGetErrorString(error));
    return finding;
  }
  return std::nullopt;
}

}  // namespace

PlatformResult run_ranks(const Case& c, const RunOptions& options,
                         const std::function<void(int rank)>& rank_main) {
  PlatformResult result;
  const gpu::HangReporter& reporter = hang_reporter();
  const auto threads = std::make_shared<gpu::RankThreads>(c.world, gpu::device_count());
  if (const auto error = gpu::StreamPool::of_process().prepare(c.world, gpu::device_count());
      error != hipSuccess) {
    result.spent = true;
    Finding finding;
    finding.kind = FindingKind::api_error;
    finding.message =
        fmt::format("the ranks' streams could not be made: {}", hipGetErrorString(error));
    result.findings.push_back(std::move(finding));
    return result;
  }
  const auto begin = Clock::now();
  const double patience_s = options.deadline_s * kShareForRanks;
  auto beside =
      std::make_unique<gpu::Beside>(c.perturbation.traffic_blocks, c.perturbation.occupier_blocks);
  const bool ended = gpu::RankThreads::run(threads, rank_main,
                                           begin + std::chrono::duration_cast<Clock::duration>(
                                                       std::chrono::duration<double>(patience_s)));
  if (!ended) {
    result.spent = true;
    result.findings.push_back(reporter.report(c, *threads, patience_s));
    beside->abandon();
    static_cast<void>(beside.release());  // its thread looks at it
    return result;
  }
  beside.reset();
  if (auto error = lasting_error()) {
    result.spent = true;
    result.findings.push_back(std::move(*error));
  }
  return result;
}

void limit(Contract& contract) {
  contract.resident_threads_max =
      std::min(contract.resident_threads_max, gpu::resident_threads(contract.worlds));
}

void settle(const Target& target, int rank) {
  static_cast<void>(hipSetDevice(rank % gpu::device_count()));
  if (target.delay == nullptr) return;
  static_cast<void>(target.delay(1, nullptr));
  static_cast<void>(hipStreamSynchronize(nullptr));
}

bool ranks_share_devices(int world) { return world > gpu::device_count(); }
bool perturbs() { return true; }

std::set<FindingKind> detectors() {
  return {FindingKind::out_of_bounds, FindingKind::misaligned, FindingKind::api_error,
          FindingKind::crash, FindingKind::timeout};
}

bool host_barrier() {
  gpu::RankThreads* threads = gpu::RankThreads::current();
  return threads != nullptr && threads->barrier();
}

bool stopped() {
  const gpu::RankThreads* threads = gpu::RankThreads::current();
  return threads == nullptr || threads->stopped();
}

void note_step(int step) {
  if (gpu::RankProgress* own = gpu::RankThreads::own_progress()) own->step = step;
}

void watch(const void* pointer, std::size_t bytes) {
  gpu::RankProgress* own = gpu::RankThreads::own_progress();
  if (own == nullptr) return;
  own->watched_bytes = bytes;
  own->watched = pointer;
}

hipError_t open_stream(int number, hipStream_t& stream) {
  return gpu::StreamPool::of_process().open(gpu::RankThreads::own_rank(), number, stream);
}
hipError_t close_stream(hipStream_t /*stream*/) { return hipSuccess; }

bool loads_on_demand() { return true; }

void* pin(std::size_t bytes) { return gpu::PinnedPool::of_process().take(bytes); }

bool unpin(void* memory, std::size_t bytes) {
  gpu::PinnedPool::of_process().give_back(memory, bytes);
  return true;
}

// Nothing here keeps track of memory.
void label(const void* /*pointer*/, std::string_view /*name*/) {}
void forget(void* /*pointer*/, std::size_t /*bytes*/) {}
void prefer_address(const void* /*freed*/) {}
void register_module(std::uintptr_t /*base*/, std::size_t /*size*/, const std::string& /*file*/) {}

}  // namespace rankle::device_hooks
