// Device memory of one rank, through the HIP API only: buffers inside larger allocations with red
// zones on both sides.
#pragma once

#include <hip/hip_runtime.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "generators/case.h"
#include "harness/runner/poison.h"
#include "kernels/communicator/buffer_range.h"

namespace rankle {

inline constexpr std::size_t kRedZoneBytes = 256;  // at least, on each side
inline constexpr std::size_t kBufferAlignment = 256;

// Remembers the first HIP call that failed, as one sentence.
class HipCalls {
 public:
  // True for success. `call` is the function's name.
  bool ok(hipError_t status, std::string_view call);
  const std::string& failure() const { return failure_; }

 private:
  std::string failure_;
};

// Overwrites with poison; scratch is declared undefined as well, so that a kernel which reads it is
// reported where the platform can. An output keeps its pattern, which says more in a result.
bool poison(HipCalls& hip, const kernels::BufferRange& range, DType dtype, Poison kind);

// Where a red zone was overwritten: the damaged byte nearest to the buffer.
struct RedZoneDamage {
  bool before = false;       // in front of the buffer, else behind it
  std::size_t distance = 0;  // bytes from the buffer's edge, 0 being adjacent
  std::byte value{};
};

// One buffer of `bytes` at a 256-byte boundary plus an offset. Freed by the destructor.
class GuardedBuffer {
 public:
  GuardedBuffer() = default;
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;
  ~GuardedBuffer() { release(); }

  // Allocates on the current device. All bytes, the buffer's own too, hold the red-zone pattern and
  // are declared undefined: reading beyond an edge is then reported as well as writing. `name`
  // ("output of rank 1") is used in reports.
  bool allocate(HipCalls& hip, std::size_t bytes, std::size_t offset_bytes, std::string name);
  // A later allocate() of as much memory prefers to lie where this one lay.
  void release();

  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  const std::string& name() const { return name_; }

  bool write(HipCalls& hip, std::span<const std::byte> from) const;  // from.size() == bytes()
  bool read(HipCalls& hip, std::vector<std::byte>& into) const;
  bool poison(HipCalls& hip, DType dtype, Poison kind) const;
  // In the order of the stream; the other side is pinned, is as long as the buffer, and stays.
  bool queue_write(HipCalls& hip, std::span<const std::byte> from, hipStream_t stream) const;
  bool queue_read(HipCalls& hip, std::span<std::byte> into, hipStream_t stream) const;

  // False if a copy failed; else `damage` says whether a zone was overwritten.
  bool check_red_zones(HipCalls& hip, std::optional<RedZoneDamage>& damage) const;

 private:
  std::byte* base_ = nullptr;
  const void* freed_ = nullptr;  // where it lay before
  std::size_t total_ = 0;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::string name_;
};

// One pair of input and output of one rank for one target.
class RankBuffers {
 public:
  // `prefix` goes before the names ("reference "); a pair other than number 0 has its number in
  // them.
  bool allocate(HipCalls& hip, const Case& c, int rank, int number, std::string_view prefix);

  const GuardedBuffer& input() const { return input_; }
  const GuardedBuffer& output() const { return in_place_ ? input_ : output_; }

  // Frees everything; no rank may have it open.
  void release();

  // Every distinct buffer: for the check of red zones, and for registration.
  std::vector<const GuardedBuffer*> all() const;

 private:
  bool in_place_ = false;
  GuardedBuffer input_;
  GuardedBuffer output_;
};

}  // namespace rankle
