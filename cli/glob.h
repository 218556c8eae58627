// Globs over target names, and the closest names to a mistyped one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rankle::cli {

// `*` is any run of characters (a '/' included), `?` is one character, anything else is itself.
bool glob_matches(std::string_view glob, std::string_view text);

// As glob_matches, but a name with '@' (a mutant) is matched only by a glob that contains '@', so
// that "allreduce/*" never picks up a planted bug.
bool target_glob_matches(std::string_view glob, std::string_view target);

// At most `count` of `names`, nearest to `text` first by edit distance; equal distances keep order.
std::vector<std::string> closest_names(std::string_view text, const std::vector<std::string>& names,
                                       std::size_t count);

}  // namespace rankle::cli
