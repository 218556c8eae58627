// Running a function on the simulated ranks and looking at what was reported.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/machine.h"
#include "tests/sim/kernels.h"

namespace rankle::sim::testing {

// `devices` ranks run `f`; reports are kept and the run goes on after them. They may leave things
// behind: leaks have tests of their own.
inline Result run_ranks(int devices, const std::function<void(int)>& f, Config config = {}) {
  config.devices = devices;
  config.keep_going = true;
  config.check_leaks = false;
  return run(config, f);
}

inline Result run_one(const std::function<void()>& f, const Config& config = {}) {
  return run_ranks(1, [&](int) { f(); }, config);
}

inline std::vector<ReportKind> kinds_of(const Result& result) {
  std::vector<ReportKind> kinds;
  for (const Report& r : result.reports) kinds.push_back(r.kind);
  return kinds;
}

inline std::string texts_of(const Result& result) {
  std::string all;
  for (const Report& r : result.reports) {
    all += r.message + "\n";
    for (const std::string& d : r.details) all += "  " + d + "\n";
    for (const SourceLine& s : r.sites) all += "  at " + s.function + " " + s.file + "\n";
  }
  return all;
}

// Device memory of `count` elements on the current device, filled from `values` if given.
template <typename T>
T* device_array(std::size_t count, const std::vector<T>& values = {}) {
  T* pointer = nullptr;
  EXPECT_EQ(hipMalloc(&pointer, count * sizeof(T)), hipSuccess);
  if (!values.empty()) {
    EXPECT_EQ(hipMemcpy(pointer, values.data(), values.size() * sizeof(T), hipMemcpyHostToDevice),
              hipSuccess);
  }
  return pointer;
}

template <typename T>
T* zeroed_array(std::size_t count) {
  T* const pointer = device_array<T>(count);
  EXPECT_EQ(hipMemset(pointer, 0, count * sizeof(T)), hipSuccess);
  return pointer;
}

template <typename T>
std::vector<T> host_copy(const T* pointer, std::size_t count) {
  std::vector<T> values(count);
  EXPECT_EQ(hipMemcpy(values.data(), pointer, count * sizeof(T), hipMemcpyDeviceToHost),
            hipSuccess);
  return values;
}

}  // namespace rankle::sim::testing
