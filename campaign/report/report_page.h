// The report as one HTML file that needs nothing else: style, scripts, the chart library and the
// data as a JSON block are written into the template page/report.html. Texts of findings reach the
// page as data and become text nodes, never markup.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace rankle {

std::string report_page(const nlohmann::ordered_json& data);

// JSON that may stand inside a <script> element: "<", ">", "&" and the line separators of
// JavaScript are written as \u escapes, bytes that are no UTF-8 are replaced.
std::string json_for_script(const nlohmann::ordered_json& data);

// `text` with every "<!-- rankle: NAME -->" replaced by `part(NAME)`, in one pass: what a part
// holds is not looked at again.
template <typename Part>
std::string fill_template(std::string_view text, const Part& part) {
  constexpr std::string_view kOpen = "<!-- rankle: ";
  constexpr std::string_view kClose = " -->";
  std::string filled;
  while (true) {
    const std::size_t open = text.find(kOpen);
    filled += text.substr(0, open);
    if (open == std::string_view::npos) return filled;
    text.remove_prefix(open + kOpen.size());
    const std::size_t close = text.find(kClose);
    filled += part(text.substr(0, close));
    text.remove_prefix(close == std::string_view::npos ? text.size() : close + kClose.size());
  }
}

// True if this build has the chart library; without it the report has tables alone.
bool report_has_charts();

}  // namespace rankle
