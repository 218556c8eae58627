// The classic shapes of memory model tests, one block of one thread for each of their processes.
// All accesses are atomic, so that the race detector has nothing to say; what counts is which
// values the loads return together.
#pragma once

#include <array>
#include <ostream>
#include <string>
#include <vector>

#include "tests/litmus/scene.h"

namespace rankle::sim::litmus {

using Loaded = std::array<Word, 4>;  // what the loads of a shape have returned; unused ones are 0

struct Shape {
  std::string name;
  int processes = 2;
  void (*launch)(Word* x, Word* y, Word* out, int processes) = nullptr;
  bool (*is_weak)(const Loaded& loaded) = nullptr;  // the outcome in question
  bool is_allowed = false;                          // by the memory model

  friend std::ostream& operator<<(std::ostream& out, const Shape& shape) {
    return out << shape.name;
  }
};

// In strong runs none has its weak outcome.
std::vector<Shape> weak_shapes();

}  // namespace rankle::sim::litmus
