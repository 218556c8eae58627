// Thrown by an executor that was told to stop while a case ran: the user's wish, neither a verdict
// nor a failure. Whoever has something to keep (the smallest case so far) catches it.
#pragma once

#include <exception>

namespace rankle {

class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted while a case ran"; }
};

}  // namespace rankle
