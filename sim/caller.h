// The program counter of whoever called the function that this macro stands in: for a hook or a HIP
// call, the place in the simulated program that a report names.
#pragma once

#include <cstdint>

#define RANKLE_CALLER reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))
