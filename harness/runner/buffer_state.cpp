// What each step does to what is known. In place, input and output are one.
#include "harness/runner/buffer_state.h"

#include <algorithm>
#include <cassert>

namespace rankle {

Contents payload_contents(const PayloadSpec& spec, int round) {
  return {Contents::Kind::payload, spec, round, {}};
}

Contents poison_contents(DType dtype, Poison poison) {
  Contents contents;
  contents.kind = Contents::Kind::poison;
  contents.spec.dtype = dtype;
  contents.poison = poison;
  return contents;
}

void write_contents(const Contents& contents, int rank, std::span<std::byte> out) {
  assert(contents.kind != Contents::Kind::unknown);
  if (contents.kind == Contents::Kind::poison) {
    fill_poison(contents.spec.dtype, contents.poison, out);
    return;
  }
  const std::size_t whole = out.size() - out.size() % size_of(contents.spec.dtype);
  fill_input(contents.spec, rank, contents.round, 0, out.first(whole));
  std::fill(out.begin() + std::ptrdiff_t(whole), out.end(), std::byte{0});
}

BufferState::BufferState(bool in_place, DType dtype) : in_place_(in_place) {
  if (!in_place) rest_ = poison_contents(dtype, Poison::output);
}

void BufferState::restart_output(const Contents& contents) {
  rest_ = contents;
  reach_ = 0;
  last_call_.reset();
}

void BufferState::fill(const Contents& payload) {
  input_ = payload;
  if (in_place_) restart_output(payload);
}

void BufferState::poison_output(const Contents& poison) {
  restart_output(poison);
  if (in_place_) input_ = poison;
}

void BufferState::overwrite(const Contents& poison) {
  input_ = poison;
  if (in_place_) restart_output(poison);
}

void BufferState::call(const CallShape& shape) {
  reach_ = std::max(reach_, bytes_of(shape));
  last_call_ = shape;
  if (in_place_) input_ = {};
}

}  // namespace rankle
