// Several steps that are all taken whatever becomes of the others, as one result: that of the first
// that failed.
#pragma once

#include <hip/hip_runtime.h>

namespace rankle::kernels {

class FirstError {
 public:
  void note(hipError_t error) {
    if (result_ == hipSuccess) result_ = error;
  }
  hipError_t result() const { return result_; }

 private:
  hipError_t result_ = hipSuccess;
};

}  // namespace rankle::kernels
