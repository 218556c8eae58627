// See console.h.
#include "cli/console.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

namespace rankle::cli {
namespace {

const char* code_of(Style style) {
  switch (style) {
    case Style::plain:
      return "";
    case Style::bold:
      return "\x1b[1m";
    case Style::red:
      return "\x1b[1;31m";
    case Style::green:
      return "\x1b[32m";
    case Style::yellow:
      return "\x1b[33m";
  }
  return "";
}

// https://no-color.org: any value but an empty one turns colour off.
bool no_colour_wanted() {
  const char* value = std::getenv("NO_COLOR");
  return value != nullptr && *value != '\0';
}

std::size_t columns_of(std::FILE* stream) {
  struct winsize size = {};
  if (ioctl(fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

}  // namespace

Console::Console(std::FILE* out, std::FILE* err, bool json, bool quiet)
    : out_(out),
      err_(err),
      people_(json ? err : out),
      json_(json),
      quiet_(quiet),
      live_(!quiet && isatty(fileno(err)) != 0),
      coloured_(isatty(fileno(people_)) != 0 && !no_colour_wanted()) {}

void Console::note(std::string_view text, Style style) {
  if (!quiet_) write(people_, text, style);
}

void Console::say(std::string_view text, Style style) { write(people_, text, style); }

void Console::error(std::string_view text) {
  write(err_, fmt::format("rankle: {}", text), Style::plain);
}

void Console::event(std::string_view name, const Json& fields) {
  if (!json_) return;
  Json line = {{"event", name}};
  line.update(fields);
  // Findings may quote bytes of a target that are no UTF-8.
  const std::string text = line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  std::fwrite(text.data(), 1, text.size(), out_);
  std::fflush(out_);
}

void Console::live_line(std::string_view text) {
  if (!live_ || (text.empty() && !line_drawn_)) return;
  const std::string_view shown = text.substr(0, columns_of(err_) - 1);
  const std::string drawn = fmt::format("\r{}\x1b[K", shown);
  std::fwrite(drawn.data(), 1, drawn.size(), err_);
  std::fflush(err_);
  line_drawn_ = !text.empty();
}

void Console::write(std::FILE* stream, std::string_view text, Style style) {
  live_line("");
  const bool colour = coloured_ && style != Style::plain && stream == people_;
  const std::string line =
      fmt::format("{}{}{}\n", colour ? code_of(style) : "", text, colour ? "\x1b[0m" : "");
  std::fwrite(line.data(), 1, line.size(), stream);
  std::fflush(stream);
}

}  // namespace rankle::cli
