// Recognisable contents for memory that nobody should see: outputs, scratch and red zones before
// each round. Floats get quiet NaNs whose payload survives an addition, so that poison that went
// through a sum is still recognised; integers get patterns outside the range of exact payloads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "generators/dtype.h"

namespace rankle {

// Each place has a pattern of its own, so that the bits say where a value came from.
// `input` is what overwrites the input behind a call.
enum class Poison { output, scratch, input };

// Every byte of a red zone.
inline constexpr std::byte kRedZoneByte{0xA7};

// What memory that was declared undefined (device_hooks::forget) reads as where the platform keeps
// track of it: the simulator. Elsewhere it keeps the pattern that was written.
inline constexpr std::byte kUndefinedByte{0xFD};

// Bits of one element of undefined memory, in the low size_of(dtype) bytes.
inline std::uint64_t undefined_bits(DType dtype) {
  return 0xFDFD'FDFD'FDFD'FDFDu >> (64 - 8 * size_of(dtype));
}

namespace detail {

// In the order of Poison.
struct PoisonPatterns {
  std::uint64_t output, scratch, input;
};

constexpr PoisonPatterns poison_patterns(DType dtype) {
  switch (dtype) {
    case DType::fp64:
      return {0x7ff8'dead'0075'0001u, 0x7ff8'dead'5c5c'0003u, 0x7ff8'dead'1a1a'0005u};
    case DType::fp32:
      return {0x7fc0'de51u, 0x7fd5'5c53u, 0x7fca'1a55u};
    case DType::fp16:
      return {0x7e51u, 0x7f53u, 0x7ea5u};
    case DType::bf16:
      return {0x7fd1u, 0x7fe3u, 0x7fc5u};
    case DType::int8:
      return {0x81u, 0x80u, 0x7fu};
    case DType::int32:
      return {0x8bad'5eedu, 0x7bad'5c5cu, 0x6bad'1a1au};
    case DType::int64:
      break;
  }
  return {0x8bad'5eed'8bad'0001u, 0x7bad'5c5c'7bad'0003u, 0x6bad'1a1a'6bad'0005u};
}

}  // namespace detail

// Bits of one poisoned element, in the low size_of(dtype) bytes.
constexpr std::uint64_t poison_bits(DType dtype, Poison poison) {
  const detail::PoisonPatterns patterns = detail::poison_patterns(dtype);
  switch (poison) {
    case Poison::output:
      return patterns.output;
    case Poison::scratch:
      return patterns.scratch;
    case Poison::input:
      break;
  }
  return patterns.input;
}

// Fills with the pattern; a rest shorter than an element gets the pattern's first bytes.
inline void fill_poison(DType dtype, Poison poison, std::span<std::byte> out) {
  const std::uint64_t bits = poison_bits(dtype, poison);
  const std::size_t step = size_of(dtype);
  if (out.empty()) return;
  std::memcpy(out.data(), &bits, std::min(step, out.size()));
  // Doubling copies: the filled part is always a whole number of elements.
  for (std::size_t done = step; done < out.size();) {
    const std::size_t take = std::min(done, out.size() - done);
    std::memcpy(out.data() + done, out.data(), take);
    done += take;
  }
}

}  // namespace rankle
