// Where a command's output goes. Without --json: people's text on stdout, the live line on stderr.
// With
// --json: one object a line on stdout, people's text on stderr. --quiet drops the text except
// findings and errors. The live line is drawn only on a terminal and never mixes with text.
#pragma once

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace rankle::cli {

using Json = nlohmann::ordered_json;

enum class Style { plain, bold, red, green, yellow };

class Console {
 public:
  Console(std::FILE* out, std::FILE* err, bool json, bool quiet);

  bool json() const { return json_; }

  // One line of text (more if it has newlines). `notes` go with --quiet.
  void note(std::string_view text, Style style = Style::plain);
  void say(std::string_view text, Style style = Style::plain);
  // "rankle: <text>" on stderr.
  void error(std::string_view text);

  // One object on one line of stdout, with --json only. `event` comes first in it.
  void event(std::string_view name, const Json& fields);

  // True if anybody would see a live line: lets loops skip composing it.
  bool live() const { return live_; }
  // Draws over the live line; an empty text takes it away.
  void live_line(std::string_view text);

 private:
  void write(std::FILE* stream, std::string_view text, Style style);

  std::FILE* out_;
  std::FILE* err_;
  std::FILE* people_;  // out_ or, with --json, err_
  bool json_;
  bool quiet_;
  bool live_;
  bool coloured_;
  bool line_drawn_ = false;
};

}  // namespace rankle::cli
