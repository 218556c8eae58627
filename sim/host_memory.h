// Host memory that devices can reach: pinned by hipHostMalloc, or registered where it lies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rankle::sim {

struct Registration {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  unsigned flags = 0;
  int rank = 0;
  int device = 0;
  std::uintptr_t site = 0;  // of the registering call
};

// Those of the current run.
std::vector<Registration>& registrations();

// The registration that holds an address; nullptr if none.
const Registration* find_registration(std::uintptr_t address);

// True for host memory that HIP knows nothing of.
bool is_pageable(const void* pointer);

}  // namespace rankle::sim
