// A table of enumerators and their names, searched both ways. Private to this folder: dtype.cpp and
// names.cpp build their public functions from it.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <optional>
#include <string_view>

namespace rankle::detail {

template <class Enum, std::size_t size>
struct NameTable {
  std::array<Enum, size> values;
  std::array<std::string_view, size> names;

  std::string_view name(Enum value) const {
    for (std::size_t i = 0; i < size; ++i) {
      if (values[i] == value) return names[i];
    }
    assert(!"an enumerator without a name");
    return "?";
  }

  std::optional<Enum> from(std::string_view name) const {
    for (std::size_t i = 0; i < size; ++i) {
      if (names[i] == name) return values[i];
    }
    return std::nullopt;
  }
};

}  // namespace rankle::detail
