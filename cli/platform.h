// --platform: which worker runs the cases.
#pragma once

#include <string>

#include "cli/options.h"

namespace rankle::cli {

const TextOption& declare_platform(OptionSet& options);

// Throws UsageError for a name that is no platform.
std::string platform_of(const TextOption& option);

}  // namespace rankle::cli
