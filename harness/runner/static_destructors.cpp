// The interposed __cxa_atexit. It is called before any constructor of this program has run, so all
// its state is constant-initialised.
#include "harness/runner/static_destructors.h"

#include <dlfcn.h>

#include <cstdlib>

namespace rankle::static_destructors {
namespace {

struct Range {
  std::uintptr_t base;
  std::size_t size;
  const Range* next;
};

constinit const Range* ranges = nullptr;  // never freed: exit handlers may still ask
constinit int drop_all = 0;
constinit std::size_t dropped_count = 0;

bool is_dropped(const void* dso_handle) {
  if (drop_all > 0) return true;
  const auto address = reinterpret_cast<std::uintptr_t>(dso_handle);
  for (const Range* range = ranges; range != nullptr; range = range->next) {
    if (address - range->base < range->size) return true;
  }
  return false;
}

}  // namespace

void drop_from(std::uintptr_t base, std::size_t size) { ranges = new Range{base, size, ranges}; }

DropAll::DropAll() { ++drop_all; }
DropAll::~DropAll() { --drop_all; }

std::size_t dropped() { return dropped_count; }

}  // namespace rankle::static_destructors

extern "C" int __cxa_atexit(void (*destroy)(void*), void* object, void* dso_handle) {
  if (rankle::static_destructors::is_dropped(dso_handle)) {
    ++rankle::static_destructors::dropped_count;
    return 0;
  }
  using Register = int (*)(void (*)(void*), void*, void*);
  static Register next = nullptr;
  if (next == nullptr) next = reinterpret_cast<Register>(dlsym(RTLD_NEXT, "__cxa_atexit"));
  if (next == nullptr) std::abort();  // no C library without it
  return next(destroy, object, dso_handle);
}
