// See hang_report.h.
#include "harness/gpu/hang_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <string>
#include <thread>

#include "generators/names.h"
#include "harness/gpu/signal_words.h"

namespace rankle::gpu {
namespace {

constexpr std::size_t kBytesMax = std::size_t{64} << 10;
constexpr std::chrono::milliseconds kPatience{500};

std::string place_of(const Case& c, const RankProgress& progress) {
  if (progress.done) return "has ended";
  const int step = progress.step;
  std::string where =
      step < 0 || std::size_t(step) >= c.program.size()
          ? std::string("before or behind the program")
          : fmt::format("in step {} ({})", step, name_of(c.program[std::size_t(step)].kind));
  return where + (progress.in_barrier ? ", waiting for the other ranks on the host"
                                      : ", in a call of the device's runtime");
}

}  // namespace

HangReporter::HangReporter(int devices) {
  for (int device = 0; device < devices; ++device) {
    hipStream_t& stream = streams_.emplace_back(nullptr);
    if (hipSetDevice(device) != hipSuccess ||
        hipStreamCreateWithFlags(&stream, hipStreamNonBlocking) != hipSuccess) {
      stream = nullptr;
    }
  }
  void* memory = nullptr;
  if (hipHostMalloc(&memory, kBytesMax, hipHostMallocDefault) == hipSuccess) {
    memory_ = static_cast<std::byte*>(memory);
  }
}

std::string HangReporter::signals_of(const RankThreads& threads, int rank) const {
  const RankProgress& progress = threads.progress(rank);
  const hipStream_t stream = streams_[std::size_t(threads.device_of(rank))];
  const std::size_t bytes = std::min<std::size_t>(progress.watched_bytes, kBytesMax);
  if (progress.watched == nullptr || bytes == 0) return "has no signals";
  if (stream == nullptr || memory_ == nullptr) return "signals cannot be read";
  static_cast<void>(hipSetDevice(threads.device_of(rank)));
  if (hipMemcpyAsync(memory_, progress.watched, bytes, hipMemcpyDeviceToHost, stream) !=
      hipSuccess) {
    return "signals cannot be read";
  }
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (hipStreamQuery(stream) == hipErrorNotReady) {
    if (std::chrono::steady_clock::now() > end) return "signals cannot be read while it runs";
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return describe_signals({memory_, bytes}, threads.world());
}

Finding HangReporter::report(const Case& c, const RankThreads& threads, double waited_s) const {
  Finding finding;
  finding.kind = FindingKind::timeout;
  finding.subkind = "hang";
  int hanging = 0;
  for (int rank = 0; rank < threads.world(); ++rank) hanging += threads.progress(rank).done ? 0 : 1;
  finding.message = fmt::format("{} of {} ranks have not come to their end after {:.1f} s", hanging,
                                threads.world(), waited_s);
  for (int rank = 0; rank < threads.world(); ++rank) {
    const RankProgress& progress = threads.progress(rank);
    finding.details.push_back(fmt::format("rank {} {}", rank, place_of(c, progress)));
    if (!progress.done) finding.actors.push_back({rank, -1, -1, progress.step});
  }
  for (int rank = 0; rank < threads.world(); ++rank) {
    finding.details.push_back(fmt::format("rank {}: {}", rank, signals_of(threads, rank)));
  }
  return finding;
}

}  // namespace rankle::gpu
