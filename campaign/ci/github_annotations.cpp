// See github_annotations.h.
#include "campaign/ci/github_annotations.h"

#include <fmt/format.h>

#include <string_view>

#include "repro/explain.h"

namespace rankle {
namespace {

// As the runner undoes it: these characters would end a line or a property.
std::string escaped(std::string_view text, bool in_property) {
  std::string result;
  for (const char c : text) {
    const bool is_special =
        c == '%' || c == '\r' || c == '\n' || (in_property && (c == ':' || c == ','));
    result +=
        is_special ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return result;
}

std::string annotation(const char* level, const Finding& finding, const std::string& target,
                       const std::string& text) {
  std::string properties;
  for (const Site& site : finding.sites) {
    if (site.file.empty()) continue;
    properties = "file=" + escaped(site.file, true) + ",";
    if (site.line >= 1) properties += fmt::format("line={},", site.line);
    break;
  }
  properties +=
      "title=" + escaped(fmt::format("rankle: {} in {}", name_of(finding.kind), target), true);
  return fmt::format("::{} {}::{}", level, properties, escaped(text, false));
}

}  // namespace

std::vector<std::string> github_annotations(const RunRecord& record) {
  std::vector<std::string> lines;
  if (!record.error.empty()) {
    lines.push_back("::error title=rankle::" + escaped(record.error, false));
  }
  for (const bool flaky : {false, true}) {
    for (const RunFinding& found : record.findings) {
      const Repro& repro = found.repro;
      if (repro.flaky.has_value() != flaky) continue;
      lines.push_back(annotation(flaky ? "warning" : "error", repro.finding, repro.failing.target,
                                 text_of(found)));
    }
  }
  for (const RunWarning& warning : record.warnings) {
    lines.push_back(
        annotation("notice", warning.finding, warning.target, sentence_of(warning.finding)));
  }
  return lines;
}

}  // namespace rankle
