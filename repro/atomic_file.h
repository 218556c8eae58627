// Whole files or nothing: text goes to a temporary file in the same folder, is synced, and takes
// its name in one step. A kill or a full disk never leaves a torn repro file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace rankle {

// Replaces `path` (or creates it). Throws std::system_error with the path and the reason; `path` is
// then what it was before.
void replace_file(const std::filesystem::path& path, std::string_view text);

// Creates `folder / (stem + ".json")`, or "-2.json", "-3.json", ... if that name is taken: a file
// that exists is never touched, also when several processes write at once. Returns the path. Throws
// as replace_file does.
std::filesystem::path create_numbered_file(const std::filesystem::path& folder,
                                           std::string_view stem, std::string_view text);

// The content of a regular file of at most `bytes_max` bytes. On failure nullopt, and `error` holds
// one sentence naming the path.
std::optional<std::string> read_small_file(const std::filesystem::path& path, std::size_t bytes_max,
                                           std::string& error);

}  // namespace rankle
