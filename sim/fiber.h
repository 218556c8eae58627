// Fibers: a context switch and a pool of stacks, over Boost.Context's fcontext.
//
// Stacks are cut from slabs and kept for ever: a guard page each would exhaust the map limit near
// 32,700 stacks, so every stack ends in a canary that is checked when the stack comes back.
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rankle::sim {

using Context = boost::context::detail::fcontext_t;
using Transfer = boost::context::detail::transfer_t;

// Every jump names the slot for the leaver's context, and whoever is resumed fills it in. So any
// fiber can jump to any other, and not only to the scheduler. Inlined where fibers wait: each frame
// between a kernel and its jump is stack that has to come back into the cache.
__attribute__((always_inline)) inline void jump(Context to, Context* slot) {
  const Transfer back = boost::context::detail::jump_fcontext(to, static_cast<void*>(slot));
  *static_cast<Context*>(back.data) = back.fctx;
}

class StackPool {
 public:
  // `bytes` per stack; `per_slab` stacks are mapped at a time.
  StackPool(std::size_t bytes, std::size_t per_slab);
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  // Lowest address of a free stack. The most recently returned one comes first: it is warm.
  char* take();
  void give_back(char* stack);
  // False if the canary at the stack's end was overwritten. Reads a line that nothing else touches.
  static bool canary_intact(const char* stack);

  // Takes back every stack, whatever is on it.
  void reset();

  std::size_t stack_bytes() const { return bytes_; }
  // Where a fiber starts on its stack.
  void* top_of(char* stack) const { return stack + bytes_; }

 private:
  void add_slab();

  // Distance between stacks: an odd number of cache lines, or the hottest lines of all stacks would
  // fall into the same few cache sets.
  std::size_t stride() const { return bytes_ + 3 * 64; }

  std::size_t bytes_;
  std::size_t per_slab_;
  std::vector<char*> slabs_;
  std::vector<char*> free_;
  std::size_t taken_ = 0;
};

}  // namespace rankle::sim
