// See commit_seed.h.
#include "cli/commit_seed.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace rankle::cli {

std::optional<std::uint64_t> seed_from_commit(std::string_view hash) {
  constexpr std::size_t kDigits = 12;
  constexpr std::size_t kDigitsMax = 64;
  const bool is_hash =
      hash.size() >= kDigits && hash.size() <= kDigitsMax &&
      std::ranges::all_of(hash, [](unsigned char c) { return std::isxdigit(c) != 0; });
  if (!is_hash) return std::nullopt;
  std::uint64_t seed = 0;
  std::from_chars(hash.data(), hash.data() + kDigits, seed, 16);
  return seed;
}

}  // namespace rankle::cli
