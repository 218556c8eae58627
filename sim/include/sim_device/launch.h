// Kernel launch. The arguments are copied once per launch, as a GPU copies its kernarg segment;
// every simulated thread calls the kernel with references into that copy.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "hip/hip_runtime_api.h"

#define HIP_KERNEL_NAME(...) __VA_ARGS__

// What a kernel's type says about its arguments, for calls that get the kernel as an untyped
// pointer.
struct rankle_sim_kernel_type {
  std::size_t arguments;
  void* (*copy)(const void* kernel, void** arguments);  // as the `storage` of a launch
  void (*point)(void* storage, void** arguments);       // at the copies
  void (*invoke)(void* storage);
  void (*destroy)(void* storage);
};

extern "C" {
// Makes the type of a kernel known for this run.
void rankle_sim_know_kernel(const void* kernel, const rankle_sim_kernel_type* type);
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
  static void* copy(const void* kernel, void** arguments) {
    return copy_each(reinterpret_cast<void (*)(Formal...)>(const_cast<void*>(kernel)), arguments,
                     std::index_sequence_for<Formal...>{});
  }
  static void point(void* storage, void** arguments) {
    std::apply([&](auto&... value) { ((*arguments++ = const_cast<void*>(address(value))), ...); },
               static_cast<Arguments*>(storage)->values);
  }

 private:
  template <std::size_t... I>
  static void* copy_each(void (*kernel)(Formal...), void** arguments, std::index_sequence<I...>) {
    return new Arguments{
        kernel,
        std::tuple<Formal...>(*static_cast<std::remove_reference_t<Formal>*>(arguments[I])...)};
  }
  template <typename T>
  static const void* address(const T& value) {
    return &value;
  }
};

template <typename... Formal>
inline constexpr rankle_sim_kernel_type kKernelType{
    sizeof...(Formal), &Arguments<Formal...>::copy, &Arguments<Formal...>::point,
    &Arguments<Formal...>::invoke, &Arguments<Formal...>::destroy};

template <typename... Formal>
void know(void (*kernel)(Formal...)) {
  rankle_sim_know_kernel(reinterpret_cast<const void*>(kernel), &kKernelType<Formal...>);
}
inline void know(const void*) {}  // says nothing

}  // namespace rankle_sim

template <typename... Formal, typename... Actual>
void hipLaunchKernelGGL(void (*kernel)(Formal...), dim3 grid, dim3 block,
                        std::size_t dynamic_shared_bytes, hipStream_t stream, Actual&&... actual) {
  using Arguments = rankle_sim::Arguments<Formal...>;
  rankle_sim::know(kernel);
  auto* storage = new Arguments{
      kernel, std::tuple<Formal...>(static_cast<Formal>(std::forward<Actual>(actual))...)};
  rankle_sim_launch(reinterpret_cast<const void*>(kernel), grid, block, dynamic_shared_bytes,
                    stream, &Arguments::invoke, storage, &Arguments::destroy);
}

namespace rankle_sim {

template <typename... Formal>
hipError_t launch_with_pointers(void (*kernel)(Formal...), dim3 grid, dim3 block, void** arguments,
                                std::size_t dynamic_shared_bytes, hipStream_t stream,
                                bool cooperative) {
  if (sizeof...(Formal) > 0 && arguments == nullptr) return hipErrorInvalidValue;
  using Copy = Arguments<Formal...>;
  const auto* const address = reinterpret_cast<const void*>(kernel);
  know(kernel);
  return rankle_sim_launch_checked(address, grid, block, dynamic_shared_bytes, stream,
                                   &Copy::invoke, Copy::copy(address, arguments), &Copy::destroy,
                                   cooperative);
}

}  // namespace rankle_sim

// Launches with an array of pointers to the arguments. The kernel has to be passed as what it is:
// from a `const void*` nobody can tell the types of its parameters here, and the launch is refused.
template <typename... Formal>
hipError_t hipLaunchKernel(void (*kernel)(Formal...), dim3 grid, dim3 block, void** arguments,
                           std::size_t dynamic_shared_bytes = 0, hipStream_t stream = nullptr) {
  return rankle_sim::launch_with_pointers(kernel, grid, block, arguments, dynamic_shared_bytes,
                                          stream, false);
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
                                          stream, true);
}
inline hipError_t hipLaunchCooperativeKernel(const void*, dim3, dim3, void**, unsigned,
                                             hipStream_t) {
  return rankle_sim_untyped_launch("hipLaunchCooperativeKernel");
}

// How many blocks fit. The same for every kernel: the simulator counts threads and dynamic shared
// memory, and knows no registers.
template <typename Kernel>
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel kernel, int threads,
                                                        std::size_t dynamic_shared_bytes) {
  rankle_sim::know(kernel);
  return rankle_sim_occupancy(blocks, threads, dynamic_shared_bytes);
}
template <typename Kernel>
hipError_t hipOccupancyMaxPotentialBlockSize(int* blocks, int* threads, Kernel kernel,
                                             std::size_t dynamic_shared_bytes = 0,
                                             int threads_max = 0) {
  rankle_sim::know(kernel);
  return rankle_sim_best_block(blocks, threads, dynamic_shared_bytes, threads_max);
}
