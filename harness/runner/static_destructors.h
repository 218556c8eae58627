// Keeps destructors of statics in private module copies from running at process exit. A static that
// a target builds on first use is built again after every restore, and registers its destructor
// again; running them all at exit would destroy one object many times. Copies are never unloaded,
// so none of their destructors needs to run: __cxa_atexit is interposed and drops what copies
// register.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rankle::static_destructors {

// Registrations from [base, base + size) are dropped from now on, for ever.
void drop_from(std::uintptr_t base, std::size_t size);

// While one exists, every registration is dropped: a copy's constructors run before its place in
// memory is known.
class DropAll {
 public:
  DropAll();
  ~DropAll();
  DropAll(const DropAll&) = delete;
  DropAll& operator=(const DropAll&) = delete;
};

// Registrations dropped so far.
std::size_t dropped();

}  // namespace rankle::static_destructors
