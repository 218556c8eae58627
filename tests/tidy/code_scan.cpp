// A brace counter with a memory of what stood before each brace: that is enough to tell a function
// from a namespace, a class or an initialiser in formatted code.
#include "tests/tidy/code_scan.h"

#include <algorithm>
#include <cctype>
#include <regex>

namespace rankle::tidy {
namespace {

void blank(std::string& text, std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < to && i < text.size(); ++i) {
    if (text[i] != '\n') text[i] = ' ';
  }
}

// End of the literal that opens with the quote at `at`, one past the closing quote.
std::size_t end_of_literal(std::string_view text, std::size_t at) {
  const char quote = text[at];
  std::size_t i = at + 1;
  while (i < text.size() && text[i] != quote && text[i] != '\n') i += text[i] == '\\' ? 2 : 1;
  return i + 1;
}

std::size_t end_of_raw_string(std::string_view text, std::size_t quote) {
  const std::size_t open = text.find('(', quote);
  if (open == std::string_view::npos) return text.size();
  const std::string closing = ")" + std::string(text.substr(quote + 1, open - quote - 1)) + "\"";
  const std::size_t end = text.find(closing, open);
  return end == std::string_view::npos ? text.size() : end + closing.size();
}

std::size_t end_of_directive(std::string_view text, std::size_t at) {
  std::size_t end = text.find('\n', at);
  while (end != std::string_view::npos && end > 0 && text[end - 1] == '\\') {
    end = text.find('\n', end + 1);
  }
  return end == std::string_view::npos ? text.size() : end;
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// One past the end of what has to be blanked at `i`; `i` itself if it is code.
std::size_t end_of_non_code(std::string_view text, std::size_t i, bool line_is_empty_so_far) {
  const char c = text[i];
  if (text.substr(i, 2) == "//") return std::min(text.find('\n', i), text.size());
  if (text.substr(i, 2) == "/*") {
    const std::size_t end = text.find("*/", i + 2);
    return end == std::string_view::npos ? text.size() : end + 2;
  }
  if (c == '#' && line_is_empty_so_far) return end_of_directive(text, i);
  if (c == '"') {
    return i > 0 && text[i - 1] == 'R' ? end_of_raw_string(text, i) : end_of_literal(text, i);
  }
  // 1'000 is a number, not the start of a character literal.
  if (c == '\'' && (i == 0 || !is_word(text[i - 1]))) return end_of_literal(text, i);
  return i;
}

// `head` is what stands between the previous ';', '{' or '}' and an opening brace.
bool opens_function(const std::string& head) {
  static const std::regex kTemplate(R"(template\s*<[^>]*>|requires\s+\w+)");
  static const std::regex kScope(R"(\b(namespace|class|struct|union|enum|extern)\b)");
  const std::string plain = std::regex_replace(head, kTemplate, " ");
  const std::size_t paren = plain.find('(');
  if (paren == std::string::npos) return false;
  // `struct X f() {` is rare enough to be left out; `void f(struct X x) {` is not taken for a
  // struct.
  return !std::regex_search(plain.substr(0, paren), kScope);
}

std::string name_in(const std::string& head) {
  const std::size_t paren = head.find('(');
  std::size_t begin = paren;
  while (begin > 0 && (is_word(head[begin - 1]) || head[begin - 1] == ':')) --begin;
  std::string name = head.substr(begin, paren - begin);
  if (name.starts_with("TEST") || name == "RC_GTEST_PROP") {
    name = head.substr(begin, head.find(')', paren) + 1 - begin);
  }
  return name;
}

}  // namespace

std::string blank_out_non_code(std::string_view text) {
  std::string out(text);
  bool empty_so_far = true;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = end_of_non_code(text, i, empty_so_far);
    if (end > i) {
      blank(out, i, end);
      i = end;
      empty_so_far = false;
      continue;
    }
    if (text[i] == '\n') {
      empty_so_far = true;
    } else if (text[i] != ' ') {
      empty_so_far = false;
    }
    ++i;
  }
  return out;
}

std::vector<FunctionSpan> functions_of(std::string_view text) {
  const std::string code = blank_out_non_code(text);
  std::vector<FunctionSpan> functions;
  std::string head;
  int line = 1;
  int head_line = 1;       // line of the first character of `head`
  int depth = 0;           // open braces
  int function_depth = 0;  // depth inside the current function, 0 outside functions
  for (const char c : code) {
    if (c == '\n') ++line;
    if (c == '{') {
      ++depth;
      if (function_depth == 0 && opens_function(head)) {
        functions.push_back({name_in(head), head_line, line});
        function_depth = depth;
      }
      head.clear();
    } else if (c == '}') {
      if (depth == function_depth) {
        functions.back().last_line = line;
        function_depth = 0;
      }
      --depth;
      head.clear();
    } else if (c == ';') {
      head.clear();
    } else if (!head.empty() || std::isspace(static_cast<unsigned char>(c)) == 0) {
      if (head.empty()) head_line = line;
      head.push_back(c);
    }
  }
  return functions;
}

std::vector<Include> includes_of(const SourceFile& file) {
  static const std::regex kInclude(R"re(^\s*#\s*include\s*(["<])([^">]+)[">])re");
  std::vector<Include> includes;
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    std::smatch match;
    if (std::regex_search(file.lines[i], match, kInclude)) {
      includes.push_back({match[2].str(), match[1].str() == "\"", static_cast<int>(i) + 1});
    }
  }
  return includes;
}

}  // namespace rankle::tidy
