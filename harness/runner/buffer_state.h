// What the buffers of a rank are known to hold, kept up as a program's steps go by: what a check
// expects. A model of the steps alone; nothing is read back for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "generators/case.h"
#include "harness/runner/payload.h"
#include "harness/runner/poison.h"

namespace rankle {

// What one step has written all over a buffer.
struct Contents {
  enum class Kind { unknown, payload, poison };
  Kind kind = Kind::unknown;
  PayloadSpec spec;  // of poison the dtype alone
  int round = 0;     // of a payload
  Poison poison = Poison::output;

  bool operator==(const Contents&) const = default;
};

Contents payload_contents(const PayloadSpec& spec, int round);
Contents poison_contents(DType dtype, Poison poison);

// Writes the bytes; bytes behind the last whole element of a payload are zero. Not for `unknown`.
void write_contents(const Contents& contents, int rank, std::span<std::byte> out);

// One pair of input and output.
class BufferState {
 public:
  // As allocated: nobody has written the input, the output is poisoned.
  BufferState(bool in_place, DType dtype);

  void fill(const Contents& payload);
  void poison_output(const Contents& poison);
  void overwrite(const Contents& poison);
  void call(const CallShape& shape);

  const Contents& input() const { return input_; }
  // The call whose result the output holds; none since it was poisoned, or refilled in place.
  const std::optional<CallShape>& last_call() const { return last_call_; }
  // What the output holds from byte `reach` on, where no call has written since.
  const Contents& rest() const { return rest_; }
  std::int64_t reach() const { return reach_; }

 private:
  void restart_output(const Contents& contents);

  bool in_place_;
  Contents input_;
  Contents rest_;
  std::int64_t reach_ = 0;
  std::optional<CallShape> last_call_;
};

}  // namespace rankle
