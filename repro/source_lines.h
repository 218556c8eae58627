// A few lines of source around a finding's site. Sites name files relative to the repository, and a
// repro file may come from anybody, so a path that is absolute, climbs with "..", or does not end
// like a source file is never opened.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/verdict.h"

namespace rankle {

// Lines "  70 | text", the site's own marked with '>', from the first root that has the file. Empty
// if no root has it or the line is beyond its end.
std::vector<std::string> source_excerpt(const Site& site,
                                        const std::vector<std::filesystem::path>& roots,
                                        int lines_around);

}  // namespace rankle
