// Memory of another rank, as its IPC handle shows it: at another address than the owner's, so that
// a raw pointer passed between ranks, a lost offset or a stale mapping does not work by accident.
// The pages are the owner's (one memory, two mappings); all records are kept at the owner's
// addresses, to which an access through a window is led back before it is checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/hot.h"
#include "sim/memory.h"

namespace rankle::sim {

enum class Access : std::uint8_t { read, write };

struct Mapping {
  std::uintptr_t begin = 0;  // in the window
  std::size_t bytes = 0;
  int rank = 0;             // that opened it
  int opened = 0;           // times, less closed; 0: an access is a finding
  bool freed = false;       // by the owner, while open: an access is a finding until it is reopened
  std::uintptr_t site = 0;  // of the latest opening call
};

class Windows {
 public:
  // Where `rank` sees the live allocation that begins at `begin` on a device. Opening it again
  // counts.
  std::uintptr_t open(int rank, std::uintptr_t begin, std::uintptr_t site);
  // False if `address` is not the start of a mapping that this rank has open.
  bool close(int rank, std::uintptr_t address);
  // The owner gives the allocation that begins at `begin` back. What has it open shows nothing from
  // here on, whatever is allocated at that address next.
  void free(std::uintptr_t begin);

  // The mapping, open or closed, that holds an address of a window; nullptr if there never was one.
  const Mapping* find(std::uintptr_t address) const;
  const std::vector<Mapping>& mappings() const { return mappings_; }

  // Undoes every mapping. Before Memory::reset, which forgets the allocations.
  void reset();

 private:
  std::vector<Mapping> mappings_;
};

Windows& windows();

void report_closed_window(std::uintptr_t address, std::size_t bytes, Access access,
                          std::uintptr_t pc);

// The owner's address behind an address of a window; 0, and a report, if the running rank has no
// mapping open there.
inline std::uintptr_t through_window(std::uintptr_t address, std::size_t bytes, Access access,
                                     std::uintptr_t pc) {
  const int device = region_of(address - kBase) - g_hot.first_window;
  const bool is_open = static_cast<unsigned>(device) < kDevicesMax && g_hot.first_window > 0 &&
                       Memory::page_of(address).allocation != 0;
  if (__builtin_expect(is_open, 1)) {
    return address - (static_cast<std::uintptr_t>(g_hot.first_window) << kRegionShift);
  }
  report_closed_window(address, bytes, access, pc);
  return 0;
}

}  // namespace rankle::sim
