// Kernel launch. The arguments are copied once per launch, as a GPU copies its kernarg segment;
// every simulated thread calls the kernel with references into that copy.
#pragma once

#include <cstddef>
#include <tuple>
#include <utility>

#include "hip/hip_runtime_api.h"

#define HIP_KERNEL_NAME(...) __VA_ARGS__

extern "C" {
// Enqueues a kernel. `invoke(storage)` runs one thread; `destroy(storage)` ends the copy of the
// arguments, once all threads have ended.
void rankle_sim_launch(const void* kernel, dim3 grid, dim3 block, std::size_t dynamic_shared_bytes,
                       hipStream_t stream, void (*invoke)(void*), void* storage,
                       void (*destroy)(void*));
}

namespace rankle_sim {

template <typename... Formal>
struct Arguments {
  void (*kernel)(Formal...);
  std::tuple<Formal...> values;

  static void invoke(void* storage) {
    auto* self = static_cast<Arguments*>(storage);
    std::apply(self->kernel, self->values);
  }
  static void destroy(void* storage) { delete static_cast<Arguments*>(storage); }
};

}  // namespace rankle_sim

template <typename... Formal, typename... Actual>
void hipLaunchKernelGGL(void (*kernel)(Formal...), dim3 grid, dim3 block,
                        std::size_t dynamic_shared_bytes, hipStream_t stream, Actual&&... actual) {
  using Arguments = rankle_sim::Arguments<Formal...>;
  auto* storage = new Arguments{
      kernel, std::tuple<Formal...>(static_cast<Formal>(std::forward<Actual>(actual))...)};
  rankle_sim_launch(reinterpret_cast<const void*>(kernel), grid, block, dynamic_shared_bytes,
                    stream, &Arguments::invoke, storage, &Arguments::destroy);
}
