// Simulated memory: allocations at fixed addresses, what is initialised, and which pages were
// touched.
//
// Nothing is filled when memory is allocated. A byte that nobody has written reads as poison
// because the reading hook writes the poison at that moment (poison_uninitialised), so an
// allocation of a GiB costs no more than its page records, and a reset costs what the run touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/layout.h"

namespace rankle::sim {

struct Page {
  std::uint32_t allocation = 0;  // index of the allocation; 0: nothing is here
  std::uint16_t watchers = 0;    // parked threads that wait for a word of this page
  std::uint8_t touched = 0;      // some initialised bit of this page is set
  std::uint8_t reserved = 0;
};

struct Allocation {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;  // one past the last byte; equals begin once freed
  std::size_t bytes = 0;   // as asked for
  int region = 0;
  bool freed = false;
  std::string label;
  bool pending = false;      // hipMallocAsync has not been reached in its stream's order
  bool free_queued = false;  // hipFreeAsync is in a stream
  int rank = -1;             // whose host code allocated it; -1: nobody's, no leak
  int device = -1;           // current when it was allocated
  std::uint32_t flags = 0;   // as given to hipHostMalloc or hipExtMallocWithFlags
  std::uintptr_t site = 0;   // program counter of the allocating call
};

// Bounds of the live part of each allocation, by index: what the hooks read at every access.
struct Bounds {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};
extern const Bounds* g_bounds;

inline constexpr std::uint8_t kPoisonByte = 0xfd;

class Memory {
 public:
  // Maps the regions; once per process. Throws std::runtime_error if the address space is taken.
  Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  // Forgets every allocation and all that was written.
  void reset(std::size_t bytes_max);

  // Address of `bytes` fresh bytes in a region, page aligned with a guard page behind them; 0 if
  // the cap is exceeded. Freed addresses are not given out again in the same run, unless preferred.
  std::uintptr_t allocate(int region, std::size_t bytes);
  // The next allocation in the region of a freed address takes it if it is of the same size.
  void prefer(std::uintptr_t freed) { preferred_ = freed; }
  // False if `address` is not the start of a live allocation.
  bool release(std::uintptr_t address);
  // Between a hipMallocAsync and its turn in the stream nobody may use the memory.
  void suspend(std::uintptr_t address);
  void activate(std::uintptr_t address);

  // The allocation that holds an address (a window's address: the one shown there), or the one
  // whose guard page does; nullptr if none.
  const Allocation* find(std::uintptr_t address) const;
  Allocation* find(std::uintptr_t address);
  const std::vector<Allocation>& allocations() const { return allocations_; }
  std::size_t bytes_live() const { return bytes_live_; }

  static Page& page_of(std::uintptr_t address) {
    return reinterpret_cast<Page*>(kPagesBase)[(address - kBase) >> kPageShift];
  }
  static std::uint8_t* initialised_bits(std::uintptr_t address) {
    return reinterpret_cast<std::uint8_t*>(kInitialisedBase + ((address - kBase) >> 3));
  }

  void touch(std::uintptr_t address) {
    Page& page = page_of(address);
    if (page.touched == 0) remember_touched(address);
  }
  void mark_initialised(std::uintptr_t address, std::size_t bytes);
  void mark_uninitialised(std::uintptr_t address, std::size_t bytes);
  bool is_initialised(std::uintptr_t address, std::size_t bytes) const;
  std::size_t count_uninitialised(std::uintptr_t address, std::size_t bytes) const;
  // First byte of the range that is not initialised, as an offset; `bytes` if all are.
  std::size_t first_uninitialised(std::uintptr_t address, std::size_t bytes) const;
  // Writes the poison into the bytes of the range that nobody has written.
  void poison_uninitialised(std::uintptr_t address, std::size_t bytes);
  // Copies bytes together with their initialised bits. Both ranges lie in simulated memory.
  void copy_initialised(std::uintptr_t to, std::uintptr_t from, std::size_t bytes);

  static bool contains(const void* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer) - kBase < kSpan;
  }

  // "byte 4096 of 'signals of rank 2' (8192 bytes on device 2)", or what else can be said.
  std::string describe(std::uintptr_t address) const;

 private:
  std::uintptr_t take_preferred(int region, std::size_t bytes);
  void remember_touched(std::uintptr_t address);
  void drop_pages(int region);

  std::vector<Allocation> allocations_;  // by Page::allocation; 0 is a dummy that contains nothing
  std::vector<Bounds> bounds_;           // parallel to it
  std::vector<std::uintptr_t> touched_;
  std::uintptr_t next_[kDirectRegions] = {};
  std::uintptr_t preferred_ = 0;  // 0: none
  std::size_t bytes_live_ = 0;
  std::size_t bytes_max_ = 0;
};

namespace detail {
extern Memory* g_memory;
Memory& make_memory();
}  // namespace detail

// The machine's memory, mapped at the first use.
inline Memory& memory() {
  return detail::g_memory != nullptr ? *detail::g_memory : detail::make_memory();
}

}  // namespace rankle::sim
