// Kernel launch. The arguments are copied once per launch, as a GPU copies its kernarg segment;
// every simulated thread calls the kernel with references into that copy.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "hip/hip_runtime_api.h"

#define HIP_KERNEL_NAME(...) __VA_ARGS__

extern "C" {
// Enqueues a kernel. `invoke(storage)` runs one thread; `destroy(storage)` ends the copy of the
// arguments, once all threads have ended.
void rankle_sim_launch(const void* kernel, dim3 grid, dim3 block, std::size_t dynamic_shared_bytes,
                       hipStream_t stream, void (*invoke)(void*), void* storage,
                       void (*destroy)(void*));
// The same with an answer; `cooperative`: refused unless all blocks can be resident at once.
hipError_t rankle_sim_launch_checked(const void* kernel, dim3 grid, dim3 block,
                                     std::size_t dynamic_shared_bytes, hipStream_t stream,
                                     void (*invoke)(void*), void* storage, void (*destroy)(void*),
                                     bool cooperative);
hipError_t rankle_sim_untyped_launch(const char* name);
hipError_t rankle_sim_occupancy(int* blocks, int threads, std::size_t dynamic_shared_bytes);
hipError_t rankle_sim_best_block(int* blocks, int* threads, std::size_t dynamic_shared_bytes,
                                 int threads_max);
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

namespace rankle_sim {

template <typename... Formal, std::size_t... I>
hipError_t launch_with_pointers(void (*kernel)(Formal...), dim3 grid, dim3 block, void** arguments,
                                std::size_t dynamic_shared_bytes, hipStream_t stream,
                                bool cooperative, std::index_sequence<I...>) {
  if (sizeof...(Formal) > 0 && arguments == nullptr) return hipErrorInvalidValue;
  using Copy = Arguments<Formal...>;
  auto* storage = new Copy{
      kernel,
      std::tuple<Formal...>(*static_cast<std::remove_reference_t<Formal>*>(arguments[I])...)};
  return rankle_sim_launch_checked(reinterpret_cast<const void*>(kernel), grid, block,
                                   dynamic_shared_bytes, stream, &Copy::invoke, storage,
                                   &Copy::destroy, cooperative);
}

}  // namespace rankle_sim

// Launches with an array of pointers to the arguments. The kernel has to be passed as what it is:
// from a `const void*` nobody can tell the types of its parameters here, and the launch is refused.
template <typename... Formal>
hipError_t hipLaunchKernel(void (*kernel)(Formal...), dim3 grid, dim3 block, void** arguments,
                           std::size_t dynamic_shared_bytes = 0, hipStream_t stream = nullptr) {
  return rankle_sim::launch_with_pointers(kernel, grid, block, arguments, dynamic_shared_bytes,
                                          stream, false, std::index_sequence_for<Formal...>{});
}
inline hipError_t hipLaunchKernel(const void*, dim3, dim3, void**, std::size_t = 0,
                                  hipStream_t = nullptr) {
  return rankle_sim_untyped_launch("hipLaunchKernel");
}
template <typename... Formal>
hipError_t hipLaunchCooperativeKernel(void (*kernel)(Formal...), dim3 grid, dim3 block,
                                      void** arguments, unsigned dynamic_shared_bytes,
                                      hipStream_t stream) {
  return rankle_sim::launch_with_pointers(kernel, grid, block, arguments, dynamic_shared_bytes,
                                          stream, true, std::index_sequence_for<Formal...>{});
}
inline hipError_t hipLaunchCooperativeKernel(const void*, dim3, dim3, void**, unsigned,
                                             hipStream_t) {
  return rankle_sim_untyped_launch("hipLaunchCooperativeKernel");
}

// How many blocks fit. The same for every kernel: the simulator counts threads and dynamic shared
// memory, and knows no registers.
template <typename Kernel>
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel, int threads,
                                                        std::size_t dynamic_shared_bytes) {
  return rankle_sim_occupancy(blocks, threads, dynamic_shared_bytes);
}
template <typename Kernel>
hipError_t hipOccupancyMaxPotentialBlockSize(int* blocks, int* threads, Kernel,
                                             std::size_t dynamic_shared_bytes = 0,
                                             int threads_max = 0) {
  return rankle_sim_best_block(blocks, threads, dynamic_shared_bytes, threads_max);
}
