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
inline constexpr int kRegions = kDevicesMax + 2;

inline constexpr std::uintptr_t kBase = 0x200000000000;
inline constexpr int kRegionShift = 36;                            // distance between regions
inline constexpr std::size_t kRegionBytes = std::size_t{1} << 34;  // usable part of each
inline constexpr std::uintptr_t kSpan = std::uintptr_t{kRegions} << kRegionShift;

inline constexpr int kPageShift = 12;
inline constexpr std::size_t kPageBytes = std::size_t{1} << kPageShift;

// One bit for each byte: set once the byte has been written.
inline constexpr std::uintptr_t kInitialisedBase = 0x300000000000;
// One Page record for each page.
inline constexpr std::uintptr_t kPagesBase = 0x380000000000;

inline constexpr int region_of(std::uintptr_t offset) {
  return static_cast<int>(offset >> kRegionShift);
}
inline constexpr std::uintptr_t region_base(int region) {
  return kBase + (std::uintptr_t(region) << kRegionShift);
}

}  // namespace rankle::sim
