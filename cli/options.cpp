// See options.h.
#include "cli/options.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cstdlib>

#include "cli/errors.h"
#include "cli/units.h"

namespace rankle::cli {
namespace {

std::string variable_of(const std::string& name) {
  std::string variable = "RANKLE_";
  for (const char c : name) {
    variable += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return variable;
}

}  // namespace

std::uint64_t TextOption::whole_number(std::uint64_t min, std::uint64_t max) const {
  std::uint64_t value = 0;
  const char* end = text_.data() + text_.size();
  const auto [stop, error] = std::from_chars(text_.data(), end, value);
  if (text_.empty() || error != std::errc() || stop != end || value < min || value > max) {
    refuse(fmt::format("is not allowed; a whole number from {} to {} is", min, max));
  }
  return value;
}

double TextOption::seconds() const {
  const auto value = parse_duration(text_);
  if (!value || *value <= 0) refuse(fmt::format("is not allowed; {} is", kDurationForm));
  return *value;
}

std::vector<std::string> TextOption::list(std::string_view allowed) const {
  std::vector<std::string> parts;
  std::size_t start = 0;
  while (true) {
    const std::size_t comma = text_.find(',', start);
    parts.push_back(text_.substr(start, comma - start));
    if (parts.back().empty()) refuse(fmt::format("has an empty entry; allowed: {}", allowed));
    if (comma == std::string::npos) return parts;
    start = comma + 1;
  }
}

void TextOption::refuse(std::string_view why) const {
  throw UsageError(fmt::format("{}: '{}' {}", origin_, text_, why));
}

const TextOption& OptionSet::add(const std::string& name, const std::string& what,
                                 const std::string& fallback) {
  texts_.push_back(std::make_unique<Text>());
  Text& entry = *texts_.back();
  entry.name = name;
  entry.fallback = fallback;
  entry.variable = variable_of(name);
  entry.value.origin_ = "--" + name;
  std::string help = what;
  if (!fallback.empty()) help += fmt::format(" [{}]", fallback);
  entry.option = app_->add_option("--" + name, entry.value.text_, help);
  // Scripts append options to their own; the last one wins.
  entry.option->take_last();
  return entry.value;
}

const TextOption& OptionSet::add_without_variable(const std::string& name,
                                                  const std::string& what) {
  const TextOption& option = add(name, what);
  texts_.back()->variable.clear();
  return option;
}

const bool& OptionSet::flag(const std::string& name, const std::string& what) {
  flags_.push_back(std::make_unique<Flag>());
  Flag& entry = *flags_.back();
  entry.name = name;
  entry.variable = variable_of(name);
  entry.option = app_->add_flag("--" + name, entry.value, what);
  return entry.value;
}

void OptionSet::read_environment() {
  for (const auto& entry : texts_) {
    entry->value.given_ = entry->option->count() > 0;
    if (entry->value.given_) continue;
    const char* value = entry->variable.empty() ? nullptr : std::getenv(entry->variable.c_str());
    entry->value.given_ = value != nullptr && *value != '\0';
    entry->value.text_ = entry->value.given_ ? value : entry->fallback;
    if (entry->value.given_) entry->value.origin_ = entry->variable;
  }
  for (const auto& entry : flags_) {
    if (entry->option->count() > 0) continue;
    const char* value = std::getenv(entry->variable.c_str());
    const std::string_view text = value == nullptr ? "" : value;
    entry->value = !text.empty() && text != "0" && text != "false";
  }
}

std::map<std::string, std::string> OptionSet::given() const {
  std::map<std::string, std::string> texts;
  for (const auto& entry : texts_) {
    if (entry->value.given_) texts[entry->name] = entry->value.text_;
  }
  for (const auto& entry : flags_) {
    if (entry->value) texts[entry->name] = "true";
  }
  return texts;
}

void OptionSet::adopt(const std::map<std::string, std::string>& texts,
                      const std::set<std::string>& free, const std::string& where) {
  for (const auto& [name, text] : given()) {
    if (free.contains(name)) continue;
    const auto before = texts.find(name);
    if (before != texts.end() && before->second == text) continue;
    throw UsageError(fmt::format(
        "--{}: '{}' differs from {}, which has {}", name, text, where,
        before == texts.end() ? std::string("no such option") : "'" + before->second + "'"));
  }
  for (const auto& entry : texts_) {
    const auto before = texts.find(entry->name);
    if (entry->value.given_ || before == texts.end()) continue;
    entry->value.given_ = true;
    entry->value.text_ = before->second;
    entry->value.origin_ = fmt::format("{} of {}", entry->name, where);
  }
  for (const auto& entry : flags_) entry->value |= texts.contains(entry->name);
}

}  // namespace rankle::cli
