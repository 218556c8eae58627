// Folders in which the source files that findings name (relative to the repository) may lie.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace rankle::cli {

// `given` alone if it is not empty. Else the current folder and its parents, then those of this
// executable: a build tree lies inside its repository.
std::vector<std::filesystem::path> source_roots(const std::string& given);

}  // namespace rankle::cli
