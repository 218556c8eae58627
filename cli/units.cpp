// See units.h.
#include "cli/units.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>

namespace rankle::cli {
namespace {

constexpr double kSecondsMax = 366.0 * 24 * 3600;
constexpr double kBytesMax = 4611686018427387904.0;  // 2^62

// Takes digits with an optional fraction off the front of `text`. No sign, no exponent.
std::optional<double> take_number(std::string_view& text) {
  std::size_t length = 0;
  while (length < text.size() &&
         (std::isdigit(static_cast<unsigned char>(text[length])) || text[length] == '.')) {
    ++length;
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + length, value);
  if (length == 0 || error != std::errc() || end != text.data() + length) return std::nullopt;
  text.remove_prefix(length);
  return value;
}

std::string_view take_unit(std::string_view& text) {
  std::size_t length = 0;
  while (length < text.size() && std::isalpha(static_cast<unsigned char>(text[length]))) ++length;
  const std::string_view unit = text.substr(0, length);
  text.remove_prefix(length);
  return unit;
}

template <std::size_t N>
std::optional<double> factor_of(std::string_view unit,
                                const std::array<std::pair<std::string_view, double>, N>& table) {
  for (const auto& [name, factor] : table) {
    if (name == unit) return factor;
  }
  return std::nullopt;
}

constexpr std::array<std::pair<std::string_view, double>, 5> kTimeUnits = {
    {{"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}}};

constexpr std::array<std::pair<std::string_view, double>, 11> kSizeUnits = {{{"", 1},
                                                                             {"B", 1},
                                                                             {"K", 1024},
                                                                             {"KiB", 1024},
                                                                             {"kB", 1000},
                                                                             {"M", 1048576},
                                                                             {"MiB", 1048576},
                                                                             {"MB", 1e6},
                                                                             {"G", 1073741824},
                                                                             {"GiB", 1073741824},
                                                                             {"GB", 1e9}}};

}  // namespace

std::optional<double> parse_duration(std::string_view text) {
  if (text.empty()) return std::nullopt;
  double seconds = 0;
  double previous_factor = kSecondsMax;
  while (!text.empty()) {
    const auto number = take_number(text);
    if (!number) return std::nullopt;
    const auto factor = factor_of(take_unit(text), kTimeUnits);
    // Units must fall ("1h30m"), so that a typo such as "1s1s" is not added up in silence.
    if (!factor || *factor >= previous_factor) return std::nullopt;
    previous_factor = *factor;
    seconds += *number * *factor;
  }
  if (seconds > kSecondsMax) return std::nullopt;
  return seconds;
}

std::optional<std::int64_t> parse_size(std::string_view text) {
  const auto number = take_number(text);
  if (!number) return std::nullopt;
  const auto factor = factor_of(take_unit(text), kSizeUnits);
  if (!factor || !text.empty()) return std::nullopt;
  const double bytes = *number * *factor;
  if (bytes > kBytesMax || bytes != std::floor(bytes)) return std::nullopt;
  return static_cast<std::int64_t>(bytes);
}

std::string format_duration(double seconds) {
  if (seconds < 10) return fmt::format("{:.2f} s", seconds);
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  const auto whole = std::llround(seconds);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace rankle::cli
