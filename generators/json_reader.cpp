// The strict cursor of json_reader.h over nlohmann::json. The parser's exceptions end in
// parse_json.
#include "generators/json_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace rankle {
namespace {

using nlohmann::json;

constexpr std::size_t kDepthMax = 64;
constexpr std::size_t kShownMax = 60;  // characters of a value or key in a message

const json& null_value() {
  static const json value;
  return value;
}

// A value as a message shows it: scalars as JSON in at most kShownMax characters, others by type.
std::string shown(const json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return fmt::format("an array of {}", value.size());
  std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  if (text.size() > kShownMax) text = text.substr(0, kShownMax) + "...";
  return text;
}

// A key as a path shows it; one that is not a plain word is quoted, escaped and cut.
std::string shown_key(std::string_view key) {
  const bool plain =
      !key.empty() && key.size() <= kShownMax && std::all_of(key.begin(), key.end(), [](char c) {
        return c == '_' || c == '-' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
               (c >= 'A' && c <= 'Z');
      });
  return plain ? std::string(key) : shown(json(std::string(key)));
}

// A pass over the text for what the finished value can no longer show. One of its own, because the
// parser's callback costs the square of the number of objects in an array: minutes for a file of
// some hundred KB that is refused in the end.
class ParseGuard : public nlohmann::json_sax<json> {
 public:
  explicit ParseGuard(std::string_view root) : root_(root) {}

  bool null() override { return is_allowed_depth(); }
  bool boolean(bool) override { return is_allowed_depth(); }
  bool number_integer(number_integer_t) override { return is_allowed_depth(); }
  bool number_unsigned(number_unsigned_t) override { return is_allowed_depth(); }
  bool number_float(number_float_t, const string_t&) override { return is_allowed_depth(); }
  bool string(string_t&) override { return is_allowed_depth(); }
  bool binary(binary_t&) override { return is_allowed_depth(); }
  bool start_object(std::size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_array() override { return close(); }
  bool key(string_t& key) override {
    if (!is_allowed_depth()) return false;
    if (keys_.back().insert(key).second) return true;
    problem_ = fmt::format("key {} appears twice in one object; once is allowed", shown_key(key));
    return false;
  }
  // The parser itself says it better.
  bool parse_error(std::size_t, const std::string&, const json::exception&) override {
    return false;
  }

  std::optional<JsonError> error() const {
    if (problem_.empty()) return std::nullopt;
    return JsonError{root_, root_ + ": " + problem_};
  }

 private:
  bool open() {
    if (!is_allowed_depth()) return false;
    keys_.emplace_back();
    return true;
  }

  bool close() {
    keys_.pop_back();
    return true;
  }

  bool is_allowed_depth() {
    if (keys_.size() <= kDepthMax) return true;
    problem_ = fmt::format("nested more than {} deep; at most that is allowed", kDepthMax);
    return false;
  }

  std::string root_;
  std::string problem_;
  std::vector<std::set<std::string>> keys_;  // of each object and array that is open
};

}  // namespace

json parse_json(std::string_view text, std::string_view root, std::size_t bytes_max,
                std::optional<JsonError>& error) {
  if (error) return {};
  const std::string name(root);
  if (text.size() > bytes_max) {
    error = JsonError{name, fmt::format("{}: {} bytes are not allowed; at most {} are", name,
                                        text.size(), bytes_max)};
    return {};
  }
  ParseGuard guard(root);
  json::sax_parse(text, &guard);
  error = guard.error();
  if (error) return {};
  try {
    return json::parse(text);
  } catch (const json::exception& exception) {
    const auto* syntax = dynamic_cast<const json::parse_error*>(&exception);
    const std::size_t byte = syntax ? syntax->byte : 0;
    error = JsonError{name, fmt::format("{}: not a complete JSON document; byte {} of {} is wrong",
                                        name, byte, text.size())};
    return {};
  }
}

JsonCursor::JsonCursor(const json& value, std::string path, std::optional<JsonError>& error)
    : value_(&value), path_(std::move(path)), error_(&error) {}

void JsonCursor::fail(std::string_view sentence) const {
  if (!failed()) *error_ = JsonError{path_, fmt::format("{}: {}", path_, sentence)};
}

void JsonCursor::refuse(std::string_view why) const {
  if (!failed()) fail(fmt::format("{} {}", shown(*value_), why));
}

void JsonCursor::keys(std::initializer_list<std::string_view> required,
                      std::initializer_list<std::string_view> optional) {
  keys(std::span(required.begin(), required.size()), std::span(optional.begin(), optional.size()));
}

void JsonCursor::keys(std::span<const std::string_view> required,
                      std::span<const std::string_view> optional) {
  if (failed()) return;
  if (!value_->is_object()) return refuse("is not an object");
  const auto listed = [](std::span<const std::string_view> list, std::string_view key) {
    return std::find(list.begin(), list.end(), key) != list.end();
  };
  std::vector<std::string_view> allowed(required.begin(), required.end());
  allowed.insert(allowed.end(), optional.begin(), optional.end());
  for (const auto& [key, value] : value_->items()) {
    if (listed(required, key) || listed(optional, key)) continue;
    const JsonCursor child(value, path_ + "." + shown_key(key), *error_);
    return child.fail(fmt::format("unknown key; allowed: {}", fmt::join(allowed, ", ")));
  }
  for (const std::string_view key : required) {
    if (!has(key)) {
      const JsonCursor child(null_value(), fmt::format("{}.{}", path_, key), *error_);
      return child.fail(fmt::format("missing key; needed: {}", fmt::join(required, ", ")));
    }
  }
}

bool JsonCursor::has(std::string_view key) const {
  return value_->is_object() && value_->contains(key);
}

JsonCursor JsonCursor::at(std::string_view key) const {
  std::string path = fmt::format("{}.{}", path_, key);
  if (!failed() && has(key)) return {value_->find(key).value(), std::move(path), *error_};
  JsonCursor child(null_value(), std::move(path), *error_);
  child.fail("missing key");
  return child;
}

std::size_t JsonCursor::array(std::size_t size_max) {
  if (failed()) return 0;
  if (!value_->is_array()) {
    refuse("is not an array");
    return 0;
  }
  if (value_->size() > size_max) {
    refuse(fmt::format("is not allowed; at most {} entries are", size_max));
    return 0;
  }
  return value_->size();
}

JsonCursor JsonCursor::item(std::size_t index) const {
  std::string path = fmt::format("{}[{}]", path_, index);
  if (!failed() && value_->is_array() && index < value_->size()) {
    return {(*value_)[index], std::move(path), *error_};
  }
  JsonCursor child(null_value(), std::move(path), *error_);
  child.fail("missing entry");
  return child;
}

bool JsonCursor::boolean() {
  if (failed()) return false;
  if (value_->is_boolean()) return value_->get<bool>();
  refuse("is not allowed; true or false is");
  return false;
}

std::int64_t JsonCursor::integer(std::int64_t min, std::int64_t max) {
  if (failed()) return min;
  if (value_->is_number_unsigned()) {
    const auto value = value_->get<std::uint64_t>();
    if (max >= 0 && value <= static_cast<std::uint64_t>(max) &&
        (min < 0 || value >= static_cast<std::uint64_t>(min))) {
      return static_cast<std::int64_t>(value);
    }
  } else if (value_->is_number_integer()) {
    const auto value = value_->get<std::int64_t>();
    if (value >= min && value <= max) return value;
  }
  refuse(fmt::format("is not allowed; an integer from {} to {} is", min, max));
  return min;
}

int JsonCursor::small_integer(int min, int max) { return static_cast<int>(integer(min, max)); }

std::uint64_t JsonCursor::unsigned_integer(std::uint64_t max) {
  if (failed()) return 0;
  if (value_->is_number_unsigned() && value_->get<std::uint64_t>() <= max) {
    return value_->get<std::uint64_t>();
  }
  // A value built in memory may hold a small number as signed.
  if (value_->is_number_integer() && !value_->is_number_unsigned()) {
    const auto value = value_->get<std::int64_t>();
    if (value >= 0 && static_cast<std::uint64_t>(value) <= max) {
      return static_cast<std::uint64_t>(value);
    }
  }
  refuse(fmt::format("is not allowed; an integer from 0 to {} is", max));
  return 0;
}

double JsonCursor::number() {
  if (failed()) return 0;
  if (value_->is_number() && std::isfinite(value_->get<double>())) return value_->get<double>();
  refuse("is not allowed; a number is");
  return 0;
}

std::string JsonCursor::text(std::size_t length_max) {
  if (failed()) return {};
  if (value_->is_string()) {
    const auto& text = value_->get_ref<const std::string&>();
    if (text.size() <= length_max) return text;
  }
  refuse(fmt::format("is not allowed; a text of at most {} characters is", length_max));
  return {};
}

void JsonCursor::schema(std::initializer_list<int> known) {
  if (failed()) return;
  if (value_->is_number_integer()) {
    for (const int schema : known) {
      if (*value_ == schema) return;
    }
  }
  refuse(
      fmt::format("is not a schema that this version reads; it reads {}", fmt::join(known, ", ")));
}

}  // namespace rankle
