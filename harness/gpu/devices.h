// The devices of this process: how many, what they are, and how much of a grid they hold.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rankle::gpu {

// 0 if there are none or the runtime cannot say. Asked once.
int device_count();

// Why nothing can be run here, in one sentence; empty if something can.
std::string why_unavailable();

// "NVIDIA H200 (device 0)", ...
std::vector<std::string> device_names();

// Threads of world * blocks * threads, all resident, for the least fitting of `worlds`. Kernels
// here have at most 64 registers a thread (cmake/RankleTargets.cmake), so a multiprocessor of
// 65,536 holds 1,024 of their threads; two multiprocessors are left for kernels beside.
std::int64_t resident_threads(const std::vector<int>& worlds);

}  // namespace rankle::gpu
