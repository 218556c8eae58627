// rankle-device-data: checks on a real device that filling and comparing there agree with the host,
// bit for bit, and measures both against a copy on the same device. One JSON object on stdout; exit
// 0 if all agrees, 1 if not, 3 without a device.
#include <fmt/format.h>
#include <hip/hip_runtime.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "generators/names.h"
#include "harness/gpu/devices.h"
#include "harness/runner/device_data.h"
#include "harness/runner/oracle.h"

namespace {

using namespace rankle;
using device_data::Difference;

[[noreturn]] void fail(const std::string& what) {
  fmt::print(stderr, "rankle-device-data: {}\n", what);
  std::exit(1);
}

void ok(hipError_t error, const char* what) {
  if (error != hipSuccess) fail(fmt::format("{}: {}", what, hipGetErrorString(error)));
}

class Device {
 public:
  explicit Device(std::size_t bytes) : bytes_(bytes) {
    void* memory = nullptr;
    ok(hipMalloc(&memory, bytes), "hipMalloc");
    memory_ = static_cast<std::byte*>(memory);
    ok(hipHostMalloc(&memory, sizeof(Difference), hipHostMallocDefault), "hipHostMalloc");
    found = static_cast<Difference*>(memory);
  }
  std::byte* at(std::size_t offset) const { return memory_ + offset; }
  std::vector<std::byte> read(std::size_t offset, std::size_t bytes) const {
    std::vector<std::byte> copy(bytes);
    ok(hipMemcpy(copy.data(), at(offset), bytes, hipMemcpyDeviceToHost), "hipMemcpy");
    return copy;
  }
  void write(std::size_t offset, const std::vector<std::byte>& from) const {
    ok(hipMemcpy(at(offset), from.data(), from.size(), hipMemcpyHostToDevice), "hipMemcpy");
  }
  std::size_t bytes() const { return bytes_; }
  Difference* found = nullptr;

 private:
  std::byte* memory_ = nullptr;
  std::size_t bytes_;
};

// One random buffer: filled on both sides, compared clean, then with one byte changed.
void agree_once(const Device& device, std::mt19937_64& random) {
  const auto below = [&](std::uint64_t n) { return random() % n; };
  const auto dtypes = all_dtypes();
  PayloadSpec spec;
  spec.dtype = dtypes[below(dtypes.size())];
  spec.accum = below(2) == 0 ? Accum::fp32 : Accum::native;
  spec.world = 2 + int(below(7));
  spec.seed = random();
  const std::size_t size = size_of(spec.dtype);
  const std::size_t bytes = below(20000);
  const std::size_t offset = 256 + size * below(32);
  const int round = int(below(4));
  const int rank = int(below(std::uint64_t(spec.world)));
  constexpr Poison kPoisons[] = {Poison::output, Poison::scratch, Poison::input};
  const Contents contents = below(4) == 0 ? poison_contents(spec.dtype, kPoisons[below(3)])
                                          : payload_contents(spec, round);
  const std::string what =
      fmt::format("{} accum {} world {} rank {} round {}, {} bytes at {}", name_of(spec.dtype),
                  name_of(spec.accum), spec.world, rank, round, bytes, offset);
  std::vector<std::byte> expected(bytes);
  write_contents(contents, rank, expected);
  ok(device_data::fill(contents, rank, device.at(offset), bytes, nullptr), "fill");
  ok(hipDeviceSynchronize(), "fill");
  if (device.read(offset, bytes) != expected) fail("fill differs from the host: " + what);

  const auto found_by = [&](const std::function<hipError_t()>& compare) {
    *device.found = Difference{};
    ok(compare(), "compare");
    ok(hipDeviceSynchronize(), "compare");
    return *device.found;
  };
  const auto compare = [&] {
    return device_data::compare(contents, rank, device.at(offset), 0, bytes, device.found, nullptr);
  };
  if (found_by(compare).count != 0) fail("compare finds a difference where none is: " + what);
  const std::size_t count = bytes / size;
  if (count == 0) return;

  std::vector<std::byte> sums(count * size);
  oracle_for("allreduce")->expected(spec, 0, all_of_round(spec.world, round), 0, sums);
  device.write(offset, sums);
  const auto compare_sums = [&] {
    return device_data::compare_sums(spec, round, device.at(offset), std::int64_t(count),
                                     device.found, nullptr);
  };
  if (found_by(compare_sums).count != 0) fail("sums differ from the host: " + what);
  const std::size_t wrong = below(count);
  sums[wrong * size] ^= std::byte{1};
  device.write(offset, sums);
  const Difference difference = found_by(compare_sums);
  if (difference.count != 1 || difference.first != wrong) {
    fail(fmt::format("a wrong element {} is seen as {} from {}: {}", wrong, difference.count,
                     difference.first, what));
  }
}

// Median of several, in seconds.
double seconds_of(const std::function<void()>& work) {
  hipEvent_t begin = nullptr;
  hipEvent_t end = nullptr;
  ok(hipEventCreate(&begin), "hipEventCreate");
  ok(hipEventCreate(&end), "hipEventCreate");
  std::vector<float> times;
  for (int i = 0; i < 11; ++i) {
    ok(hipEventRecord(begin, nullptr), "hipEventRecord");
    work();
    ok(hipEventRecord(end, nullptr), "hipEventRecord");
    ok(hipEventSynchronize(end), "hipEventSynchronize");
    float milliseconds = 0;
    ok(hipEventElapsedTime(&milliseconds, begin, end), "hipEventElapsedTime");
    times.push_back(milliseconds);
  }
  std::sort(times.begin(), times.end());
  return double(times[times.size() / 2]) / 1e3;
}

nlohmann::json speed_of(const Device& device, DType dtype, int world, double copy_s) {
  const std::size_t bytes = device.bytes() / 2;
  const PayloadSpec spec{dtype, Accum::fp32, world, Inputs::exact_integers, 7};
  const Contents contents = payload_contents(spec, 0);
  const auto count = std::int64_t(bytes / size_of(dtype));
  const double fill_s =
      seconds_of([&] { ok(device_data::fill(contents, 0, device.at(0), bytes, nullptr), "fill"); });
  ok(device_data::fill_sums(spec, 0, device.at(0), count, nullptr), "sums");
  *device.found = Difference{};
  const double check_s = seconds_of([&] {
    ok(device_data::compare_sums(spec, 0, device.at(0), count, device.found, nullptr), "check");
  });
  if (device.found->count != 0) fail("sums of a GiB differ from themselves");
  // A copy reads and writes every byte; so do a fill and a check together.
  return {{"dtype", name_of(dtype)},
          {"world", world},
          {"fill_GB_per_s", double(bytes) / fill_s / 1e9},
          {"check_GB_per_s", double(bytes) / check_s / 1e9},
          {"share_of_copy", copy_s / (fill_s + check_s)}};
}

}  // namespace

int main() {
  if (const std::string why = gpu::why_unavailable(); !why.empty()) {
    fmt::print(stderr, "{}\n", why);
    return 3;
  }
  const std::size_t bytes = std::size_t{1} << 30;
  const Device device(2 * bytes);
  std::mt19937_64 random(1);
  constexpr int kBuffers = 2000;
  for (int i = 0; i < kBuffers; ++i) agree_once(device, random);
  const double copy_s = seconds_of([&] {
    ok(hipMemcpyAsync(device.at(bytes), device.at(0), bytes, hipMemcpyDeviceToDevice, nullptr),
       "copy");
  });
  nlohmann::json result = {{"device", gpu::device_names().front()},
                           {"buffers_that_agree", kBuffers},
                           {"bytes", bytes},
                           {"copy_GB_per_s", 2 * double(bytes) / copy_s / 1e9}};
  for (const DType dtype : {DType::fp32, DType::bf16, DType::int8, DType::fp64}) {
    for (const int world : {2, 8})
      result["speeds"].push_back(speed_of(device, dtype, world, copy_s));
  }
  fmt::print("{}\n", result.dump(2));
  return 0;
}
