// A seed from a commit: CI runs of one commit draw the same cases, those of the next one others,
// and anybody can draw them again from the hash alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rankle::cli {

// The first 12 hexadecimal digits as a number: what `git rev-parse --short=12` gives is enough.
// nullopt for fewer digits, more than 64, or anything that is no digit.
std::optional<std::uint64_t> seed_from_commit(std::string_view hash);

inline constexpr std::string_view kCommitForm = "a hash of 12 to 64 hexadecimal digits";

}  // namespace rankle::cli
