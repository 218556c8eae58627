// Sizes and names of the element types and accumulators.
#include "generators/dtype.h"

#include <cassert>

#include "generators/name_table.h"

namespace rankle {
namespace {

constexpr detail::NameTable<DType, 7> kDTypes{
    {DType::fp64, DType::fp32, DType::fp16, DType::bf16, DType::int8, DType::int32, DType::int64},
    {"fp64", "fp32", "fp16", "bf16", "int8", "int32", "int64"}};
constexpr detail::NameTable<Accum, 2> kAccums{{Accum::native, Accum::fp32}, {"native", "fp32"}};

}  // namespace

std::size_t size_of(DType dtype) {
  switch (dtype) {
    case DType::fp64:
    case DType::int64:
      return 8;
    case DType::fp32:
    case DType::int32:
      return 4;
    case DType::fp16:
    case DType::bf16:
      return 2;
    case DType::int8:
      return 1;
  }
  assert(!"an element type without a size");
  return 1;
}

std::string_view name_of(DType dtype) { return kDTypes.name(dtype); }
std::string_view name_of(Accum accum) { return kAccums.name(accum); }
std::optional<DType> dtype_from(std::string_view name) { return kDTypes.from(name); }
std::optional<Accum> accum_from(std::string_view name) { return kAccums.from(name); }
std::span<const DType> all_dtypes() { return kDTypes.values; }
std::span<const Accum> all_accums() { return kAccums.values; }

}  // namespace rankle
