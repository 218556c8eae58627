// Streams and the operations queued on them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "sim/entity.h"

namespace rankle::sim {

struct Launch;
struct Stream;

enum class OpKind : std::uint8_t { copy, fill, kernel };

struct Op {
  OpKind kind = OpKind::copy;
  Stream* stream = nullptr;
  std::vector<Op*> after;      // operations of other streams that must have ended
  void* to = nullptr;          // copy, fill
  const void* from = nullptr;  // copy
  std::size_t bytes = 0;
  int value = 0;             // fill: the byte
  Launch* launch = nullptr;  // kernel
  std::uintptr_t site = 0;   // program counter of the host call
  bool started = false;
  bool done = false;
};

struct Stream : Entity {
  int rank = 0;
  int device = 0;
  std::uint32_t index = 0;
  bool blocking = true;  // takes part in the default stream's implicit order
  bool is_default = false;
  bool destroyed = false;
  std::deque<Op*> queue;  // the head may be under way
  Op* last = nullptr;     // enqueued last, done or not
};

}  // namespace rankle::sim
