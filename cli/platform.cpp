// See platform.h.
#include "cli/platform.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "cli/build_info.h"

namespace rankle::cli {

const TextOption& declare_platform(OptionSet& options) {
  return options.add("platform", "where cases run: sim, amd or nvidia",
                     std::string(default_platform()));
}

std::string platform_of(const TextOption& option) {
  constexpr std::array<std::string_view, 3> kPlatforms = {"sim", "amd", "nvidia"};
  if (std::find(kPlatforms.begin(), kPlatforms.end(), option.text()) == kPlatforms.end()) {
    option.refuse("is no platform; allowed: sim, amd, nvidia");
  }
  return option.text();
}

}  // namespace rankle::cli
