// Where simulated memory lies. Regions have fixed addresses, so that a trace does not change from
// run to run, and every fact about an address (page record, initialised bits) is found by
// arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rankle::sim {

inline constexpr int kDevicesMax = 8;
inline constexpr int kHostRegion = kDevicesMax;        // pinned host memory
inline constexpr int kSharedRegion = kDevicesMax + 1;  // shared memory of running blocks
inline constexpr int kDirectRegions = kDevicesMax + 2;

// Where memory of another process appears once its IPC handle is open: one window for each pair of
// opening rank and owning device. A window has no records of its own; windows.h leads each of its
// addresses back to the owner's.
inline constexpr int kFirstWindow = kDirectRegions;
inline constexpr int kRegions = kFirstWindow + kDevicesMax * kDevicesMax;

inline constexpr std::uintptr_t kBase = 0x200000000000;
inline constexpr int kRegionShift = 36;                            // distance between regions
inline constexpr std::size_t kRegionBytes = std::size_t{1} << 34;  // usable part of each
inline constexpr std::uintptr_t kDirectSpan = std::uintptr_t{kDirectRegions} << kRegionShift;
inline constexpr std::uintptr_t kSpan = std::uintptr_t{kRegions} << kRegionShift;

inline constexpr int kPageShift = 12;
inline constexpr std::size_t kPageBytes = std::size_t{1} << kPageShift;

// One bit for each byte: set once the byte has been written.
inline constexpr std::uintptr_t kInitialisedBase = 0x300000000000;
// One Page record for each page.
inline constexpr std::uintptr_t kPagesBase = 0x380000000000;

constexpr int region_of(std::uintptr_t offset) { return static_cast<int>(offset >> kRegionShift); }
constexpr std::uintptr_t region_base(int region) {
  return kBase + (std::uintptr_t(region) << kRegionShift);
}
constexpr int window_region(int rank, int device) {
  return kFirstWindow + rank * kDevicesMax + device;
}
constexpr bool in_window(std::uintptr_t address) {
  return address - kBase >= kDirectSpan && address - kBase < kSpan;
}
// The address in the owner's region of what a window shows at `address`; others stay as they are.
constexpr std::uintptr_t owner_address(std::uintptr_t address) {
  if (!in_window(address)) return address;
  const int window = region_of(address - kBase);
  return address - region_base(window) + region_base((window - kFirstWindow) % kDevicesMax);
}

}  // namespace rankle::sim
