// See report_page.h.
#include "campaign/report/report_page.h"

#include <stdexcept>

#include "campaign/report/page_assets.h"

namespace rankle {
namespace {

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

}  // namespace

std::string json_for_script(const nlohmann::ordered_json& data) {
  // Every character beyond ASCII is written as an escape, the line separators among them.
  const std::string text =
      data.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
  std::string result;
  result.reserve(text.size() + text.size() / 16);
  for (const char c : text) {
    switch (c) {
      case '<':
        result += "\\u003c";
        break;
      case '>':
        result += "\\u003e";
        break;
      case '&':
        result += "\\u0026";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string report_page(const nlohmann::ordered_json& data) {
  const PageAssets& assets = page_assets();
  return fill_template(assets.page, [&](std::string_view name) -> std::string {
    if (name == "title") return escaped(data.value("title", std::string("campaign")));
    if (name == "style") return std::string(assets.chart_style) + std::string(assets.style);
    if (name == "charts") return std::string(assets.chart_script);
    if (name == "script") return std::string(assets.script);
    if (name == "data") return json_for_script(data);
    throw std::logic_error("page/report.html has a mark that nothing fills");
  });
}

bool report_has_charts() { return !page_assets().chart_script.empty(); }

}  // namespace rankle
