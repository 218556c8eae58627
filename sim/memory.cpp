// Regions are mapped once per process at their fixed addresses; records are found by arithmetic.
// Why nothing is filled when memory is allocated: memory.h.
#include "sim/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

namespace rankle::sim {
namespace {

// Pages kept mapped between runs; above this a reset gives them back to the kernel.
constexpr std::size_t kTouchedPagesKept = (std::size_t{512} << 20) >> kPageShift;

// Of a file if there is one, else of nothing.
void reserve(std::uintptr_t address, std::size_t bytes, int file = -1) {
  void* const wanted = reinterpret_cast<void*>(address);
  const int kind = file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
  void* const got = mmap(wanted, bytes, PROT_READ | PROT_WRITE,
                         kind | MAP_NORESERVE | MAP_FIXED_NOREPLACE, file, 0);
  if (got != wanted) {
    throw std::runtime_error(
        fmt::format("cannot map {} bytes at {:#x} for the simulated devices", bytes, address));
  }
}

// A device's memory is a file without a name, so that every window to it shows the same pages. All
// are mapped once and for ever: which addresses of a window mean something is a matter of page
// records, and opening a handle needs no call of the operating system.
void reserve_device(int device) {
  const int file = memfd_create("rankle-device", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, static_cast<off_t>(kRegionBytes)) != 0) {
    throw std::runtime_error(fmt::format("no memory file for simulated device {}", device));
  }
  reserve(region_base(device), kRegionBytes, file);
  for (int rank = 0; rank < kDevicesMax; ++rank) {
    reserve(region_base(window_region(rank, device)), kRegionBytes, file);
  }
  close(file);
}

std::size_t round_up(std::size_t bytes) { return (bytes + kPageBytes - 1) & ~(kPageBytes - 1); }

bool bit_at(std::uintptr_t address) {
  return (*Memory::initialised_bits(address) >> (address & 7) & 1) != 0;
}

}  // namespace

const Bounds* g_bounds = nullptr;

Memory::Memory() {
  for (int device = 0; device < kDevicesMax; ++device) reserve_device(device);
  reserve(region_base(kHostRegion), kRegionBytes);
  reserve(region_base(kSharedRegion), kRegionBytes);
  reserve(kInitialisedBase, kDirectSpan >> 3);
  reserve(kPagesBase, (kSpan >> kPageShift) * sizeof(Page));
  reset(0);
}

void Memory::reset(std::size_t bytes_max) {
  for (const Allocation& a : allocations_) {
    if (a.bytes == 0 && a.begin == 0) continue;
    const std::size_t pages = round_up(a.bytes) >> kPageShift;
    Page* const first = &page_of(a.begin);
    std::fill(first, first + pages + 1, Page{});
  }
  const bool drop = touched_.size() > kTouchedPagesKept;
  for (const std::uintptr_t address : touched_) {
    std::memset(initialised_bits(address), 0, kPageBytes / 8);
    page_of(address).touched = 0;
  }
  touched_.clear();
  allocations_.assign(1, Allocation{});
  bounds_.assign(1, Bounds{});
  g_bounds = bounds_.data();
  for (int region = 0; region < kDirectRegions; ++region) {
    // The first page stays free, so that no valid pointer is a region's base.
    next_[region] = region_base(region) + kPageBytes;
    if (drop) drop_pages(region);
  }
  preferred_ = 0;
  bytes_live_ = 0;
  bytes_max_ = bytes_max;
}

void Memory::drop_pages(int region) {
  // From a file, a page goes only if it is taken out of the file.
  const int advice = region < kDevicesMax ? MADV_REMOVE : MADV_DONTNEED;
  madvise(reinterpret_cast<void*>(region_base(region)), kRegionBytes, advice);
}

// The preferred address, its contents unwritten; 0 if it does not suit.
std::uintptr_t Memory::take_preferred(int region, std::size_t bytes) {
  const Allocation* const a = preferred_ == 0 ? nullptr : find(preferred_);
  if (a == nullptr || a->region != region) return 0;
  const bool suits = a->freed && a->begin == preferred_ && a->bytes == bytes;
  const std::uintptr_t begin = suits ? preferred_ : 0;
  preferred_ = 0;
  if (suits) mark_uninitialised(begin, bytes);
  return begin;
}

std::uintptr_t Memory::allocate(int region, std::size_t bytes) {
  const std::size_t span = round_up(std::max<std::size_t>(bytes, 1));
  const std::uintptr_t again = take_preferred(region, bytes);
  const std::uintptr_t begin = again != 0 ? again : next_[region];
  // Shared memory is a property of the blocks, not something that a program allocates.
  const std::size_t counted = region == kSharedRegion ? 0 : span;
  const bool too_much = bytes > kRegionBytes || bytes_live_ + counted > bytes_max_ ||
                        begin + span + kPageBytes > region_base(region) + kRegionBytes;
  if (too_much) return 0;
  if (again == 0) next_[region] = begin + span + kPageBytes;
  bytes_live_ += counted;
  const auto index = static_cast<std::uint32_t>(allocations_.size());
  allocations_.push_back({begin, begin + bytes, bytes, region, false, {}});
  bounds_.push_back({begin, begin + bytes});
  g_bounds = bounds_.data();
  Page* const first = &page_of(begin);
  // The guard page behind it names its owner too, so that a small overrun can say whose end it
  // passed.
  for (std::size_t i = 0; i <= span >> kPageShift; ++i) first[i].allocation = index;
  return begin;
}

bool Memory::release(std::uintptr_t address) {
  Allocation* const a = find(address);
  if (a == nullptr || a->freed || a->begin != address) return false;
  a->freed = true;
  a->end = a->begin;
  bounds_[page_of(address).allocation] = {};
  bytes_live_ -= round_up(std::max<std::size_t>(a->bytes, 1));
  return true;
}

void Memory::suspend(std::uintptr_t address) {
  find(address)->pending = true;
  bounds_[page_of(address).allocation] = {};
}

void Memory::activate(std::uintptr_t address) {
  Allocation& a = *find(address);
  a.pending = false;
  bounds_[page_of(address).allocation] = {a.begin, a.end};
}

const Allocation* Memory::find(std::uintptr_t address) const {
  if (address - kBase >= kSpan) return nullptr;  // a window's pages name what is shown there
  const std::uint32_t index = page_of(address).allocation;
  return index == 0 ? nullptr : &allocations_[index];
}

Allocation* Memory::find(std::uintptr_t address) {
  return const_cast<Allocation*>(static_cast<const Memory*>(this)->find(address));
}

void Memory::remember_touched(std::uintptr_t address) {
  page_of(address).touched = 1;
  touched_.push_back(address & ~(kPageBytes - 1));
}

void Memory::mark_initialised(std::uintptr_t address, std::size_t bytes) {
  const std::uintptr_t end = address + bytes;
  for (std::uintptr_t p = address & ~(kPageBytes - 1); p < end; p += kPageBytes) touch(p);
  while (address < end && (address & 7) != 0) {
    *initialised_bits(address) |= static_cast<std::uint8_t>(1U << (address & 7));
    ++address;
  }
  const std::size_t whole = (end - address) & ~std::size_t{7};
  if (address < end) std::memset(initialised_bits(address), 0xff, whole >> 3);
  for (address += whole; address < end; ++address) {
    *initialised_bits(address) |= static_cast<std::uint8_t>(1U << (address & 7));
  }
}

void Memory::mark_uninitialised(std::uintptr_t address, std::size_t bytes) {
  const std::uintptr_t end = address + bytes;
  while (address < end && (address & 7) != 0) {
    *initialised_bits(address) &= static_cast<std::uint8_t>(~(1U << (address & 7)));
    ++address;
  }
  const std::size_t whole = (end - address) & ~std::size_t{7};
  if (address < end) std::memset(initialised_bits(address), 0, whole >> 3);
  for (address += whole; address < end; ++address) {
    *initialised_bits(address) &= static_cast<std::uint8_t>(~(1U << (address & 7)));
  }
}

std::size_t Memory::first_uninitialised(std::uintptr_t address, std::size_t bytes) const {
  std::size_t i = 0;
  while (i < bytes) {
    const std::uintptr_t at = address + i;
    if ((at & 7) == 0 && i + 8 <= bytes && *initialised_bits(at) == 0xff) {
      i += 8;
    } else if (bit_at(at)) {
      ++i;
    } else {
      return i;
    }
  }
  return bytes;
}

bool Memory::is_initialised(std::uintptr_t address, std::size_t bytes) const {
  return first_uninitialised(address, bytes) == bytes;
}

std::size_t Memory::count_uninitialised(std::uintptr_t address, std::size_t bytes) const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < bytes;) {
    const std::uintptr_t at = address + i;
    if ((at & 7) == 0 && i + 8 <= bytes) {
      count += 8 - static_cast<std::size_t>(std::popcount(*initialised_bits(at)));
      i += 8;
    } else {
      count += bit_at(at) ? 0 : 1;
      ++i;
    }
  }
  return count;
}

void Memory::poison_uninitialised(std::uintptr_t address, std::size_t bytes) {
  if (is_initialised(address, bytes)) return;
  for (std::size_t i = 0; i < bytes; ++i) {
    if (!bit_at(address + i)) *reinterpret_cast<std::uint8_t*>(address + i) = kPoisonByte;
  }
}

void Memory::copy_initialised(std::uintptr_t to, std::uintptr_t from, std::size_t bytes) {
  if (is_initialised(from, bytes)) {
    std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
    mark_initialised(to, bytes);
    return;
  }
  std::vector<bool> bits(bytes);
  for (std::size_t i = 0; i < bytes; ++i) bits[i] = bit_at(from + i);
  std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  for (std::size_t i = 0; i < bytes; ++i) {
    if (bits[i]) {
      mark_initialised(to + i, 1);
    } else {
      mark_uninitialised(to + i, 1);
    }
  }
}

std::string Memory::describe(std::uintptr_t address) const {
  address = owner_address(address);
  const Allocation* const a = find(address);
  if (a == nullptr) return fmt::format("{:#x}, which no allocation holds", address);
  const std::string where = a->region == kHostRegion     ? "in pinned host memory"
                            : a->region == kSharedRegion ? "in shared memory"
                                                         : fmt::format("on device {}", a->region);
  const std::string name = a->label.empty() ? "an allocation" : fmt::format("'{}'", a->label);
  const std::uintptr_t offset = address - a->begin;
  if (offset >= a->bytes) {
    return fmt::format("{} bytes past the end of {} ({} bytes {})", offset - a->bytes, name,
                       a->bytes, where);
  }
  const char* const state = a->freed ? ", freed" : a->pending ? ", not yet allocated" : "";
  return fmt::format("byte {} of {} ({} bytes {}{})", offset, name, a->bytes, where, state);
}

namespace detail {

Memory* g_memory = nullptr;

Memory& make_memory() {
  g_memory = new Memory;
  return *g_memory;
}

}  // namespace detail

}  // namespace rankle::sim
