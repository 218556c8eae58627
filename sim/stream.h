// Streams, the operations queued on them, and events, which are places in their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "sim/entity.h"
#include "sim/race_op.h"

namespace rankle::sim {

struct Capture;
struct Launch;
struct Stream;

// A graph's launch is a fork and a join, with the nodes in other streams between them.
enum class OpKind : std::uint8_t {
  copy,
  fill,
  kernel,
  function,  // of the host
  record,
  wait,
  allocate,
  release,
  fork,
  join
};

struct Op {
  OpKind kind = OpKind::copy;
  Stream* stream = nullptr;
  std::vector<const Op*> after;  // operations of other streams that must have ended
  void* to = nullptr;            // copy, fill; the memory of allocate and release
  const void* from = nullptr;    // copy
  std::size_t bytes = 0;
  std::uint32_t value = 0;   // fill: the pattern,
  std::uint32_t width = 1;   // of so many bytes
  Launch* launch = nullptr;  // kernel
  void (*function)(void*) = nullptr;
  void* argument = nullptr;    // of the function
  std::uintptr_t site = 0;     // program counter of the host call
  int step = -1;               // that the host had noted
  std::uint64_t ended_at = 0;  // virtual time in ns
  bool started = false;
  bool done = false;
  RaceOp race;
};

struct Stream : Entity {
  int rank = 0;
  int device = 0;
  std::uint32_t index = 0;
  bool blocking = true;  // takes part in the default stream's implicit order
  bool is_default = false;
  bool destroyed = false;
  int priority = 0;
  std::uint32_t race_chain = 0;              // 0: nothing has run in it yet
  std::uintptr_t site = 0;                   // of the creating call
  std::deque<Op*> queue;                     // the head may be under way
  Op* last = nullptr;                        // enqueued last, done or not
  Capture* capture = nullptr;                // that records what is put into this stream
  std::vector<std::uint32_t> capture_after;  // nodes that the next one comes behind
};

struct Event {
  int rank = 0;
  int device = 0;
  bool timed = true;
  bool destroyed = false;
  const Op* record = nullptr;                // latest hipEventRecord; nullptr: none yet
  Capture* capture = nullptr;                // in which it was recorded last, under way or not
  std::vector<std::uint32_t> capture_after;  // nodes that the record comes behind
  std::uintptr_t site = 0;                   // of the creating call
};

}  // namespace rankle::sim
