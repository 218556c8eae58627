// Rules on documents: each one can be reached from an index, and links lead to files that exist.
#include <fmt/format.h>

#include <filesystem>
#include <regex>
#include <set>

#include "tests/tidy/rules.h"

namespace rankle::tidy {
namespace {

struct Link {
  std::string target;  // path relative to the root
  int line = 0;
};

// Links to files of the repository; web addresses and anchors of the same page are left out.
std::vector<Link> links_of(const SourceFile& file) {
  static const std::regex kLink(R"(\]\(([^)\s]+)\))");
  std::vector<Link> links;
  const std::filesystem::path folder = std::filesystem::path(file.path).parent_path();
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    const std::string& line = file.lines[i];
    for (std::sregex_iterator it(line.begin(), line.end(), kLink), end; it != end; ++it) {
      std::string target = (*it)[1].str();
      if (target.find("://") != std::string::npos || target.starts_with('#')) continue;
      target = target.substr(0, target.find('#'));
      links.push_back(
          {(folder / target).lexically_normal().generic_string(), static_cast<int>(i) + 1});
    }
  }
  return links;
}

}  // namespace

Breaches documents_are_linked(const Files& files) {
  std::set<std::string> linked = {"README.md", "docs/README.md"};
  for (const SourceFile& file : files) {
    if (file.path != "README.md" && file.path != "docs/README.md") continue;
    for (const Link& link : links_of(file)) linked.insert(link.target);
  }
  Breaches breaches;
  for (const SourceFile& file : files) {
    if (file.is_markdown() && !linked.contains(file.path)) {
      breaches.push_back(
          fmt::format("{}: neither README.md nor docs/README.md links it", file.path));
    }
  }
  return breaches;
}

Breaches links_lead_somewhere(const Files& files) {
  std::set<std::string> targets;
  for (const SourceFile& file : files) {
    // A link may name a folder, with or without a slash at its end.
    for (std::filesystem::path path = file.path; !path.empty(); path = path.parent_path()) {
      targets.insert(path.generic_string());
      targets.insert(path.generic_string() + "/");
    }
  }
  Breaches breaches;
  for (const SourceFile& file : files) {
    if (!file.is_markdown()) continue;
    for (const Link& link : links_of(file)) {
      if (!targets.contains(link.target)) {
        breaches.push_back(
            fmt::format("{}:{}: {} does not exist", file.path, link.line, link.target));
      }
    }
  }
  return breaches;
}

}  // namespace rankle::tidy
