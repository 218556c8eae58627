// device_data.h on a device: one thread makes the elements of one pack, from one hash where the
// range is narrow (payload_values.h). The encodings are written again rather than shared with the
// host's, so that the two check each other (tests compare them on real devices).
#include "harness/runner/device_data.h"

#include <algorithm>

#include "harness/runner/payload_values.h"
#include "harness/runner/poison.h"

namespace rankle::device_data {
namespace {

using payload_values::Range;

constexpr int kThreads = 256;
constexpr int kBlocksMax = 132 * 8;
constexpr int kPackBytes = 16;
constexpr int kRanksMax = 8;

// Bits of an exact integer. For floats |value| <= 2^significant bits, and 0 is +0.
template <DType>
struct Element;
template <>
struct Element<DType::fp64> {
  using Bits = std::uint64_t;
  static __device__ Bits of(std::int64_t value) {
    return static_cast<Bits>(__double_as_longlong(static_cast<double>(value)));
  }
};
template <>
struct Element<DType::fp32> {
  using Bits = std::uint32_t;
  static __device__ Bits of(std::int32_t value) {
    return __float_as_uint(static_cast<float>(value));
  }
};
template <>
struct Element<DType::bf16> {
  using Bits = std::uint16_t;
  static __device__ Bits of(std::int32_t value) {
    return static_cast<Bits>(__float_as_uint(static_cast<float>(value)) >> 16);
  }
};
template <>
struct Element<DType::fp16> {
  using Bits = std::uint16_t;
  // The float's exponent field onto fp16's bias: its low 13 mantissa bits are zero here.
  static __device__ Bits of(std::int32_t value) {
    const std::uint32_t bits = __float_as_uint(static_cast<float>(value));
    if (value == 0) return 0;
    return static_cast<Bits>(((bits >> 16) & 0x8000u) |
                             (((bits & 0x7fffffffu) - ((127u - 15u) << 23)) >> 13));
  }
};
template <typename Word>
struct IntegerElement {
  using Bits = Word;
  static __device__ Bits of(std::int64_t value) { return static_cast<Bits>(value); }
};
template <>
struct Element<DType::int8> : IntegerElement<std::uint8_t> {};
template <>
struct Element<DType::int32> : IntegerElement<std::uint32_t> {};
template <>
struct Element<DType::int64> : IntegerElement<std::uint64_t> {};

template <DType kDType>
using BitsOf = typename Element<kDType>::Bits;

template <DType kDType>
constexpr int kLanes = kPackBytes / int(sizeof(BitsOf<kDType>));

template <DType kDType>
struct alignas(kPackBytes) Pack {
  BitsOf<kDType> at[kLanes<kDType>];
};

// The sums, over the ranks whose keys are given, of the values of one pack. kRanks of 0: any
// number.
template <int kRanks>
struct Source {
  std::uint64_t keys[kRanks == 0 ? kRanksMax : kRanks];
  int some_ranks;
  Range range;

  __device__ int ranks() const { return kRanks == 0 ? some_ranks : kRanks; }
};

template <DType kDType, bool kNarrow, int kRanks>
__device__ Pack<kDType> make_pack(const Source<kRanks>& source, std::int64_t pack) {
  constexpr int kCount = kLanes<kDType>;
  Pack<kDType> made;
  if constexpr (kNarrow) {
    std::uint32_t sums[kCount] = {};
#pragma unroll
    for (int rank = 0; rank < source.ranks(); ++rank) {
      const std::uint64_t hash = payload_values::hash_at(source.keys[rank], pack);
#pragma unroll
      for (int lane = 0; lane < kCount; ++lane) {
        sums[lane] += __umulhi(payload_values::lane_bits(hash, lane),
                               static_cast<std::uint32_t>(source.range.size));
      }
    }
    const auto offset = static_cast<std::uint32_t>(source.ranks() * source.range.limit);
#pragma unroll
    for (int lane = 0; lane < kCount; ++lane) {
      made.at[lane] = Element<kDType>::of(static_cast<std::int32_t>(sums[lane] - offset));
    }
  } else {
#pragma unroll
    for (int lane = 0; lane < kCount; ++lane) {
      std::uint64_t sum = 0;
      for (int rank = 0; rank < source.ranks(); ++rank) {
        const std::uint64_t hash = payload_values::hash_at(source.keys[rank], pack * kCount + lane);
        sum += payload_values::fold_wide(hash, source.range.size);
      }
      sum -= static_cast<std::uint64_t>(source.ranks()) *
             static_cast<std::uint64_t>(source.range.limit);
      made.at[lane] = Element<kDType>::of(static_cast<std::int64_t>(sum));
    }
  }
  return made;
}

// A pattern of one element, repeated.
template <DType kDType>
struct Pattern {
  BitsOf<kDType> bits;
};

template <DType kDType, bool kNarrow, int kRanks>
__device__ Pack<kDType> pack_at(const Source<kRanks>& source, std::int64_t pack) {
  return make_pack<kDType, kNarrow>(source, pack);
}
template <DType kDType, bool kNarrow>
__device__ Pack<kDType> pack_at(const Pattern<kDType>& pattern, std::int64_t /*pack*/) {
  Pack<kDType> made;
#pragma unroll
  for (int lane = 0; lane < kLanes<kDType>; ++lane) made.at[lane] = pattern.bits;
  return made;
}

__device__ std::int64_t first_pack() { return std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ std::int64_t pack_step() { return std::int64_t(gridDim.x) * blockDim.x; }

template <DType kDType, bool kNarrow, typename From>
__global__ void __launch_bounds__(kThreads)
    fill_packs(From from, BitsOf<kDType>* to, std::int64_t count, bool aligned) {
  constexpr int kCount = kLanes<kDType>;
  const std::int64_t packs = (count + kCount - 1) / kCount;
  for (std::int64_t pack = first_pack(); pack < packs; pack += pack_step()) {
    const Pack<kDType> made = pack_at<kDType, kNarrow>(from, pack);
    const std::int64_t begin = pack * kCount;
    if (aligned && begin + kCount <= count) {
      *reinterpret_cast<uint4*>(to + begin) = *reinterpret_cast<const uint4*>(&made);
      continue;
    }
    for (int lane = 0; lane < kCount && begin + lane < count; ++lane)
      to[begin + lane] = made.at[lane];
  }
}

// Elements [begin, end) of the data. Differences are gathered by block: the result lies in memory
// of the host, far away.
template <DType kDType, bool kNarrow, typename From>
__global__ void __launch_bounds__(kThreads)
    compare_packs(From from, const BitsOf<kDType>* data, std::int64_t begin, std::int64_t end,
                  bool aligned, Difference* found) {
  constexpr int kCount = kLanes<kDType>;
  const std::int64_t packs = (end + kCount - 1) / kCount;
  unsigned long long wrong = 0;
  unsigned long long first = ~0ull;
  for (std::int64_t pack = begin / kCount + first_pack(); pack < packs; pack += pack_step()) {
    const std::int64_t at = pack * kCount;
    const bool is_whole = aligned && at >= begin && at + kCount <= end;
    // Asked for before the work that it does not depend on.
    uint4 there{};
    if (is_whole) there = *reinterpret_cast<const uint4*>(data + at);
    const Pack<kDType> made = pack_at<kDType, kNarrow>(from, pack);
    if (is_whole) {
      const uint4 here = *reinterpret_cast<const uint4*>(&made);
      const unsigned difference =
          (there.x ^ here.x) | (there.y ^ here.y) | (there.z ^ here.z) | (there.w ^ here.w);
      if (difference == 0) continue;
    }
    for (int lane = 0; lane < kCount; ++lane) {
      const std::int64_t index = at + lane;
      if (index < begin || index >= end || data[index] == made.at[lane]) continue;
      ++wrong;
      first = min(first, static_cast<unsigned long long>(index));
    }
  }
  if (!__syncthreads_or(wrong > 0)) return;
  __shared__ unsigned long long block_wrong;
  __shared__ unsigned long long block_first;
  if (threadIdx.x == 0) {
    block_wrong = 0;
    block_first = ~0ull;
  }
  __syncthreads();
  if (wrong > 0) {
    atomicAdd(&block_wrong, wrong);
    atomicMin(&block_first, first);
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  atomicAdd(&found->count, block_wrong);
  atomicMin(&found->first, block_first);
}

int blocks_for(std::int64_t packs) {
  return int(std::clamp<std::int64_t>((packs + kThreads - 1) / kThreads, 1, kBlocksMax));
}

bool is_aligned(const void* data) {
  return reinterpret_cast<std::uintptr_t>(data) % kPackBytes == 0;
}

template <typename Body>
hipError_t with_dtype(DType dtype, Body body) {
  switch (dtype) {
    case DType::fp64:
      return body.template operator()<DType::fp64>();
    case DType::fp32:
      return body.template operator()<DType::fp32>();
    case DType::fp16:
      return body.template operator()<DType::fp16>();
    case DType::bf16:
      return body.template operator()<DType::bf16>();
    case DType::int8:
      return body.template operator()<DType::int8>();
    case DType::int32:
      return body.template operator()<DType::int32>();
    case DType::int64:
      break;
  }
  return body.template operator()<DType::int64>();
}

template <DType kDType, typename From>
hipError_t launch_fill(const From& from, bool narrow, std::byte* to, std::int64_t count,
                       hipStream_t stream) {
  if (count == 0) return hipSuccess;
  static_cast<void>(hipGetLastError());  // of a call before, which has been told already
  auto* typed = reinterpret_cast<BitsOf<kDType>*>(to);
  const int blocks = blocks_for(count / kLanes<kDType> + 1);
  const auto kernel = narrow ? fill_packs<kDType, true, From> : fill_packs<kDType, false, From>;
  hipLaunchKernelGGL(kernel, dim3(blocks), dim3(kThreads), 0, stream, from, typed, count,
                     is_aligned(to));
  return hipGetLastError();
}

template <DType kDType, typename From>
hipError_t launch_compare(const From& from, bool narrow, const std::byte* data, std::int64_t begin,
                          std::int64_t end, Difference* found, hipStream_t stream) {
  if (begin >= end) return hipSuccess;
  static_cast<void>(hipGetLastError());  // of a call before, which has been told already
  const auto* typed = reinterpret_cast<const BitsOf<kDType>*>(data);
  const int blocks = blocks_for((end - begin) / kLanes<kDType> + 2);
  const auto kernel =
      narrow ? compare_packs<kDType, true, From> : compare_packs<kDType, false, From>;
  hipLaunchKernelGGL(kernel, dim3(blocks), dim3(kThreads), 0, stream, from, typed, begin, end,
                     is_aligned(data), found);
  return hipGetLastError();
}

template <int kRanks>
Source<kRanks> source_of(const PayloadSpec& spec, int round, int first_rank, int ranks) {
  Source<kRanks> source{};
  for (int i = 0; i < ranks; ++i) {
    source.keys[i] = payload_values::key_of(spec.seed, round, first_rank + i);
  }
  source.some_ranks = ranks;
  source.range = payload_values::range_of(exact_limit(spec.dtype, spec.accum, spec.world),
                                          int(size_of(spec.dtype)));
  return source;
}

// Calls body(source) with the sums of all ranks; unrolled for the usual worlds.
template <typename Body>
hipError_t with_sums(const PayloadSpec& spec, int round, Body body) {
  switch (spec.world) {
    case 2:
      return body(source_of<2>(spec, round, 0, 2));
    case 4:
      return body(source_of<4>(spec, round, 0, 4));
    case 8:
      return body(source_of<8>(spec, round, 0, 8));
    default:
      return body(source_of<0>(spec, round, 0, spec.world));
  }
}

// The bytes behind the last whole element: zero in a payload, the first of the pattern in poison.
hipError_t fill_rest(const Contents& contents, std::byte* to, std::size_t whole, std::size_t bytes,
                     hipStream_t stream) {
  if (whole == bytes) return hipSuccess;
  if (contents.kind == Contents::Kind::payload) {
    return hipMemsetAsync(to + whole, 0, bytes - whole, stream);
  }
  const std::uint64_t bits = poison_bits(contents.spec.dtype, contents.poison);
  for (std::size_t i = whole; i < bytes; ++i) {
    const int value = int(bits >> (8 * (i - whole)) & 0xff);
    if (const auto error = hipMemsetAsync(to + i, value, 1, stream); error != hipSuccess) {
      return error;
    }
  }
  return hipSuccess;
}

}  // namespace

bool available() { return true; }

bool can_make(const Contents& contents) {
  if (contents.kind == Contents::Kind::poison) return true;
  return contents.kind == Contents::Kind::payload && contents.spec.world <= kRanksMax &&
         contents.spec.inputs == Inputs::exact_integers;
}

hipError_t fill(const Contents& contents, int rank, std::byte* to, std::size_t bytes,
                hipStream_t stream) {
  const std::size_t size = size_of(contents.spec.dtype);
  const auto count = std::int64_t(bytes / size);
  const hipError_t error = with_dtype(contents.spec.dtype, [&]<DType kDType>() {
    if (contents.kind == Contents::Kind::poison) {
      const Pattern<kDType> pattern{
          static_cast<BitsOf<kDType>>(poison_bits(kDType, contents.poison))};
      return launch_fill<kDType>(pattern, true, to, count, stream);
    }
    const auto source = source_of<1>(contents.spec, contents.round, rank, 1);
    return launch_fill<kDType>(source, source.range.lanes > 1, to, count, stream);
  });
  return error == hipSuccess ? fill_rest(contents, to, std::size_t(count) * size, bytes, stream)
                             : error;
}

// The rest behind the last whole element is left out: it is shorter than one.
hipError_t compare(const Contents& contents, int rank, const std::byte* data, std::size_t begin,
                   std::size_t end, Difference* found, hipStream_t stream) {
  const std::size_t size = size_of(contents.spec.dtype);
  const auto first = std::int64_t((begin + size - 1) / size);
  const auto last = std::int64_t(end / size);
  return with_dtype(contents.spec.dtype, [&]<DType kDType>() {
    if (contents.kind == Contents::Kind::poison) {
      const Pattern<kDType> pattern{
          static_cast<BitsOf<kDType>>(poison_bits(kDType, contents.poison))};
      return launch_compare<kDType>(pattern, true, data, first, last, found, stream);
    }
    const auto source = source_of<1>(contents.spec, contents.round, rank, 1);
    return launch_compare<kDType>(source, source.range.lanes > 1, data, first, last, found, stream);
  });
}

hipError_t compare_sums(const PayloadSpec& spec, int round, const std::byte* data,
                        std::int64_t count, Difference* found, hipStream_t stream) {
  return with_dtype(spec.dtype, [&]<DType kDType>() {
    return with_sums(spec, round, [&](const auto& source) {
      return launch_compare<kDType>(source, source.range.lanes > 1, data, 0, count, found, stream);
    });
  });
}

hipError_t fill_sums(const PayloadSpec& spec, int round, std::byte* to, std::int64_t count,
                     hipStream_t stream) {
  return with_dtype(spec.dtype, [&]<DType kDType>() {
    return with_sums(spec, round, [&](const auto& source) {
      return launch_fill<kDType>(source, source.range.lanes > 1, to, count, stream);
    });
  });
}

hipError_t compare_bytes(std::byte value, const std::byte* data, std::size_t bytes,
                         Difference* found, hipStream_t stream) {
  const Pattern<DType::int8> pattern{static_cast<std::uint8_t>(value)};
  return launch_compare<DType::int8>(pattern, true, data, 0, std::int64_t(bytes), found, stream);
}

}  // namespace rankle::device_data
