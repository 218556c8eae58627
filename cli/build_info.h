// What this build is: version and commit from git at build time. The values live in a
// generated source of their own, so that a new commit recompiles one file.
#pragma once

#include <string_view>

namespace rankle::cli {

std::string_view version();  // "0.1.0", "0.1.0-14-g0123456789ab"
std::string_view commit();   // "1a2b3c4d5e6f" or "1a2b3c4d5e6f+changes"; "unknown" without git
std::string_view default_platform();  // "sim": the platform that this build tree is for

}  // namespace rankle::cli
