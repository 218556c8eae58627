// The files under page/ and the chart library, as texts inside this program. Generated at build
// time by embed_page.cmake.
#pragma once

#include <string_view>

namespace rankle {

struct PageAssets {
  std::string_view page;          // page/report.html
  std::string_view style;         // page/report.css
  std::string_view script;        // page/*.js in one scope
  std::string_view chart_style;   // of uPlot, with its licence; empty without npm
  std::string_view chart_script;  // of uPlot, with its licence; empty without npm
};

const PageAssets& page_assets();

}  // namespace rankle
