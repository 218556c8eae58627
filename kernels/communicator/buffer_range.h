// A piece of device memory of this rank.
#pragma once

#include <cstddef>

namespace rankle::kernels {

struct BufferRange {
  void* begin = nullptr;  // null if there is none
  std::size_t bytes = 0;
};

}  // namespace rankle::kernels
