// Durations and sizes as people type them: "60s", "2m", "500ms"; "64KiB", "1M". A bare number is
// refused where a unit could be guessed wrongly, so that `--time 60` never means 60 ms.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rankle::cli {

// Seconds. Units: ms, s, m, h, d; "1h30m" adds up. nullopt for anything else, a negative value, or
// more than 366 days.
std::optional<double> parse_duration(std::string_view text);

// Bytes. Units: B, K, KiB, M, MiB, G, GiB (powers of 1024) and kB, MB, GB (powers of 1000). A bare
// whole number is bytes. nullopt for anything else or for more than 2^62 bytes.
std::optional<std::int64_t> parse_size(std::string_view text);

// What the parsers take, for error messages.
inline constexpr std::string_view kDurationForm = "a duration such as 500ms, 60s, 2m or 1h";
inline constexpr std::string_view kSizeForm = "a size such as 4096, 64KiB or 1M";

// "0.42 s", "1 min 5 s", "2 h 3 min".
std::string format_duration(double seconds);

}  // namespace rankle::cli
