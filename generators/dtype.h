// The element types and accumulators that a case can name. Host-side names only: the device types
// with their conversions live in kernels/dtype.h, which may not depend on this folder.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace rankle {

enum class DType { fp64, fp32, fp16, bf16, int8, int32, int64 };

// Where partial sums are kept: in the element type, or in fp32 with one rounding at the end.
enum class Accum { native, fp32 };

// Size of one element in bytes.
std::size_t size_of(DType dtype);

std::string_view name_of(DType dtype);
std::string_view name_of(Accum accum);

// nullopt for an unknown name; callers report it with all_dtypes() as what is allowed.
std::optional<DType> dtype_from(std::string_view name);
std::optional<Accum> accum_from(std::string_view name);

std::span<const DType> all_dtypes();
std::span<const Accum> all_accums();

}  // namespace rankle
