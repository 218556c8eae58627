// Slabs of stacks: mapped once, kept for ever, handed out most recently used first.
#include "sim/fiber.h"

#include <sys/mman.h>

#include <new>

namespace rankle::sim {
namespace {

constexpr std::uint64_t kCanary = 0x7ac3'91d4'5be2'8f06;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kHugeSlabs = 16;

}  // namespace

StackPool::StackPool(std::size_t bytes, std::size_t per_slab)
    : bytes_(bytes), per_slab_(per_slab) {}

// Each switch touches another stack, so small pages would cost a page walk each. The first slabs,
// which nearly every case lives in, ask for huge pages; later ones do not, because of each stack of
// a huge grid only the first page is ever used.
void StackPool::add_slab() {
  const std::size_t total = stride() * per_slab_;
  void* const mapped = mmap(nullptr, total + kHugePage, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  const auto address = reinterpret_cast<std::uintptr_t>(mapped);
  char* const slab = static_cast<char*>(mapped) + ((0 - address) & (kHugePage - 1));
  if (slabs_.size() < kHugeSlabs) madvise(slab, total, MADV_HUGEPAGE);
  slabs_.push_back(slab);
  for (std::size_t i = per_slab_; i-- > 0;) {
    char* const stack = slabs_.back() + i * stride();
    *reinterpret_cast<std::uint64_t*>(stack) = kCanary;
    free_.push_back(stack);
  }
}

char* StackPool::take() {
  if (free_.empty()) add_slab();
  char* const stack = free_.back();
  free_.pop_back();
  ++taken_;
  return stack;
}

bool StackPool::canary_intact(const char* stack) {
  return *reinterpret_cast<const std::uint64_t*>(stack) == kCanary;
}

void StackPool::give_back(char* stack) {
  free_.push_back(stack);
  --taken_;
}

void StackPool::reset() {
  if (taken_ == 0) return;
  taken_ = 0;
  free_.clear();
  for (auto slab = slabs_.rbegin(); slab != slabs_.rend(); ++slab) {
    for (std::size_t i = per_slab_; i-- > 0;) {
      char* const stack = *slab + i * stride();
      *reinterpret_cast<std::uint64_t*>(stack) = kCanary;
      free_.push_back(stack);
    }
  }
}

}  // namespace rankle::sim
