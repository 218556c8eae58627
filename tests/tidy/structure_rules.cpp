// Rules on who may include whom, and on files that nothing uses. The direction of includes is what
// keeps kernels liftable, the simulator free of collectives and the command line free of devices.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <regex>

#include "tests/tidy/code_scan.h"
#include "tests/tidy/rules.h"

namespace rankle::tidy {
namespace {

// A folder may include the ones before it, never the ones after it.
constexpr std::array<std::string_view, 5> kLayers = {"generators", "harness", "repro", "campaign",
                                                     "cli"};

std::optional<std::size_t> layer_of(std::string_view folder) {
  const auto it = std::ranges::find(kLayers, folder);
  if (it == kLayers.end()) return std::nullopt;
  return static_cast<std::size_t>(it - kLayers.begin());
}

std::string_view first_folder(std::string_view path) { return path.substr(0, path.find('/')); }

bool is_device_header(const Include& include) {
  return include.path.starts_with("hip/") || include.path.starts_with("cuda");
}

// Why `file` may not include `include`; empty if it may.
std::string_view objection(const SourceFile& file, const Include& include) {
  const std::string_view from = file.folder();
  const std::string_view to = first_folder(include.path);
  if (from == "kernels") {
    const bool standard = !include.quoted && include.path.find('/') == std::string::npos;
    if (!standard && !is_device_header(include) && to != "kernels") {
      return "kernels/ includes only HIP, the standard library and kernels/";
    }
    return {};
  }
  if (from == "sim") {
    const bool ours = layer_of(to).has_value() || to == "kernels" || to == "tests";
    return include.quoted && ours ? "sim/ knows nothing of the project but sim/"
                                  : std::string_view{};
  }
  const std::optional<std::size_t> own = layer_of(from);
  if (!own) return {};
  const std::optional<std::size_t> other = layer_of(to);
  if (other && *other > *own) {
    return "against the direction generators <- harness <- repro <- campaign <- cli";
  }
  const bool below_the_seam = to == "kernels" || to == "sim" || is_device_header(include);
  if (from != "harness" && below_the_seam) return "only harness/ knows kernels and devices";
  return to == "tests" ? "only tests include tests" : std::string_view{};
}

std::string folder_of(const SourceFile& file) {
  return file.path.substr(0, file.path.size() - file.name().size());
}

// Whether a file(GLOB ...) of `list` takes `path`. `*` stops at a slash, as in CMake.
bool glob_takes(const SourceFile& list, const std::string& path) {
  static const std::regex kGlob(R"(file\(GLOB [^)]*\))");
  static const std::regex kPattern(R"([\w/.]*\*[\w/.*]*\.cpp)");
  for (std::sregex_iterator glob(list.text.begin(), list.text.end(), kGlob), end; glob != end;
       ++glob) {
    const std::string call = glob->str();
    for (std::sregex_iterator at(call.begin(), call.end(), kPattern); at != end; ++at) {
      std::string pattern = folder_of(list) + at->str();
      pattern = std::regex_replace(pattern, std::regex(R"(\.)"), R"(\.)");
      pattern = std::regex_replace(pattern, std::regex(R"(\*)"), "[^/]*");
      if (std::regex_match(path, std::regex(pattern))) return true;
    }
  }
  return false;
}

// By name or by a glob. Whole words only: naming verdict_test.cpp does not build verdict.cpp.
bool some_cmake_file_builds(const Files& files, const SourceFile& file) {
  const std::string name(file.name());
  const std::regex stem("\\b" + name.substr(0, name.size() - file.extension().size()) + "\\b");
  return std::ranges::any_of(files, [&](const SourceFile& other) {
    return other.is_cmake() &&
           (std::regex_search(other.text, stem) || glob_takes(other, file.path));
  });
}

}  // namespace

Breaches includes_follow_the_layers(const Files& files) {
  Breaches breaches;
  for (const SourceFile& file : files) {
    if (!file.is_code()) continue;
    for (const Include& include : includes_of(file)) {
      const std::string_view why = objection(file, include);
      if (!why.empty()) {
        breaches.push_back(
            fmt::format("{}:{}: includes {}: {}", file.path, include.line, include.path, why));
      }
    }
  }
  return breaches;
}

Breaches every_source_is_used(const Files& files) {
  std::vector<std::string> included;
  for (const SourceFile& file : files) {
    if (!file.is_code()) continue;
    for (const Include& include : includes_of(file)) included.push_back("/" + include.path);
  }
  Breaches breaches;
  for (const SourceFile& file : files) {
    const bool is_included = std::ranges::any_of(
        included, [&](const std::string& path) { return ("/" + file.path).ends_with(path); });
    if (file.is_header() && !is_included) {
      breaches.push_back(fmt::format("{}: nothing includes it", file.path));
    }
    if (file.is_cpp() && !is_included && !some_cmake_file_builds(files, file)) {
      breaches.push_back(fmt::format("{}: nothing builds it", file.path));
    }
  }
  return breaches;
}

}  // namespace rankle::tidy
