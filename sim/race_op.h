// What the race detector keeps of an operation of a stream.
#pragma once

#include <vector>

#include "sim/race/actor.h"

namespace rankle::sim {

struct Op;

struct RaceOp {
  race::Token queued;             // what the host knew when it enqueued the operation
  std::vector<const Op*> behind;  // operations of other streams it is ordered behind, ended or not
  race::Op* op = nullptr;         // while it runs
  race::Token ended;              // what its end hands over
};

}  // namespace rankle::sim
