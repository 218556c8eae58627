// Filling buffers and comparing them where they lie, at the speed of the device's memory: only how
// much differs, and where first, comes back. One file per platform defines these; the simulator has
// none (its memory is the host's), and is never asked.
#pragma once

#include <hip/hip_runtime.h>

#include <cstddef>
#include <cstdint>

#include "harness/runner/buffer_state.h"
#include "harness/runner/payload.h"

namespace rankle::device_data {

// False: the other functions do not exist here.
bool available();

// Whether these contents can be made on the device: all but full-range floats and special values.
bool can_make(const Contents& contents);

// What a comparison has found. In pinned memory, cleared before; untouched where nothing differs.
struct Difference {
  unsigned long long count = 0;      // elements or bytes that differ
  unsigned long long first = ~0ull;  // the first of them, counted from the beginning of the data
};

// Enqueues writing the contents, as write_contents() does, into the whole buffer `to`.
hipError_t fill(const Contents& contents, int rank, std::byte* to, std::size_t bytes,
                hipStream_t stream);

// Enqueue comparisons. Bytes [begin, end) of a whole buffer with what fill() writes there:
hipError_t compare(const Contents& contents, int rank, const std::byte* data, std::size_t begin,
                   std::size_t end, Difference* found, hipStream_t stream);
// `count` elements with the sums of all ranks' exact values of a round:
hipError_t compare_sums(const PayloadSpec& spec, int round, const std::byte* data,
                        std::int64_t count, Difference* found, hipStream_t stream);
// The same written, for tests and measurements of the comparison:
hipError_t fill_sums(const PayloadSpec& spec, int round, std::byte* to, std::int64_t count,
                     hipStream_t stream);
// Every byte with one value:
hipError_t compare_bytes(std::byte value, const std::byte* data, std::size_t bytes,
                         Difference* found, hipStream_t stream);

}  // namespace rankle::device_data
