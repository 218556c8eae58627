// Programs for the race detector: flat lists of events as a simulator could produce them. Events
// other than the structural ones can be removed one by one, so that a difference shrinks.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/layout.h"
#include "sim/race/epoch.h"

namespace rankle::sim::race::testing {

enum class EventKind {
  host,         // adds an actor
  chain,        // adds a chain
  op_begin,     // adds an operation; a: chain, b: device, tokens: behind what
  op_actor,     // a: operation; adds an actor
  block_start,  // a: operation, b: threads, c: wave; adds a block and its threads as actors
  block_end,    // a: block
  op_end,       // a: operation; adds a token
  release,      // a: actor; adds a token
  acquire,      // a: actor, b: token
  rendezvous,   // tokens: actors
  barrier,      // a: block
  fence,        // a: actor
  read,         // a: actor
  write,
  load,
  store,
  rmw,
  reset,
};

struct Event {
  EventKind kind = EventKind::read;
  int a = 0, b = 0, c = 0;
  std::uintptr_t address = 0;
  int bytes = 0;
  Order order = Order::relaxed;
  Scope scope = Scope::system;
  std::uintptr_t site = 0;
  std::vector<int> list = {};
};

using Program = std::vector<Event>;

// Whether the program stays well-formed without the event.
inline bool is_removable(const Event& event) {
  return event.kind == EventKind::acquire || event.kind >= EventKind::rendezvous;
}

}  // namespace rankle::sim::race::testing
