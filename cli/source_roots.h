// Folders in which the source files that findings name (relative to the repository) may lie.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace rankle::cli {

// `given` alone if it is not empty. Else, for a clean target, the current folder and its parents,
// then those of this executable: a build tree lies inside its repository; then the sources that
// were installed with it. A mutant's lines are those of its patched copy, which lies in the build
// tree; the repository's own would be the wrong ones.
std::vector<std::filesystem::path> source_roots(const std::string& given,
                                                const std::string& target);

}  // namespace rankle::cli
