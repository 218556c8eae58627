// A strict reader of JSON documents that strangers may have written: a cursor that knows its path,
// refuses unknown, missing and duplicate keys, wrong types and numbers out of range, and keeps the
// first error as a value. Nothing throws; sizes are checked before anything is allocated. Used for
// cases, contracts and repro files.
//
//   std::optional<JsonError> error;
//   JsonCursor root(document, "case", error);
//   root.keys({"schema", "name"});
//   const std::string name = root.at("name").text(100);
//   if (error) return *error;  // "case.nmae: unknown key; allowed: schema, name"
//
// After an error every read returns a default, so callers test once, at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "generators/names.h"

namespace rankle {

struct JsonError {
  std::string path;     // "case.geometry.blocks"; the document's name for a syntax error
  std::string message;  // one sentence that begins with the path and says what is allowed

  bool operator==(const JsonError&) const = default;
};

// Parses a document named `root` in messages. Text of more than `bytes_max`, anything that is not
// JSON, nesting deeper than 64 and duplicate keys give an error and a null value.
nlohmann::json parse_json(std::string_view text, std::string_view root, std::size_t bytes_max,
                          std::optional<JsonError>& error);

class JsonCursor {
 public:
  // `value` and `error` must outlive the cursor. An `error` that is already set is kept.
  JsonCursor(const nlohmann::json& value, std::string path, std::optional<JsonError>& error);

  const std::string& path() const { return path_; }
  const nlohmann::json& value() const { return *value_; }
  bool failed() const { return error_->has_value(); }

  // Requires an object with all of `required`, any of `optional`, and nothing else.
  void keys(std::initializer_list<std::string_view> required,
            std::initializer_list<std::string_view> optional = {});
  void keys(std::span<const std::string_view> required, std::span<const std::string_view> optional);
  // True if this is an object that has `key`.
  bool has(std::string_view key) const;
  // The value of `key`; an error if it is missing.
  JsonCursor at(std::string_view key) const;

  // Requires an array of at most `size_max` entries; its length, 0 after an error.
  std::size_t array(std::size_t size_max);
  JsonCursor item(std::size_t index) const;

  bool boolean();
  std::int64_t integer(std::int64_t min, std::int64_t max);
  int small_integer(int min, int max);
  std::uint64_t unsigned_integer(std::uint64_t max = std::numeric_limits<std::uint64_t>::max());
  double number();  // finite
  std::string text(std::size_t length_max);

  // An enumerator by name: name<DType>(dtype_from, all_dtypes()).
  template <class Enum>
  Enum name(std::optional<Enum> (*from)(std::string_view), std::span<const Enum> allowed) {
    if (failed()) return allowed.front();
    if (value_->is_string()) {
      if (const auto found = from(value_->template get_ref<const std::string&>())) return *found;
    }
    refuse("is not known; allowed: " + names_of(allowed));
    return allowed.front();
  }

  // Requires the integer `schema` to be one of `known`.
  void schema(std::initializer_list<int> known);

  // Records "<path>: <value> <why>", unless there is an error already.
  void refuse(std::string_view why) const;
  // Records "<path>: <sentence>", unless there is an error already.
  void fail(std::string_view sentence) const;

 private:
  const nlohmann::json* value_;
  std::string path_;
  std::optional<JsonError>* error_;
};

}  // namespace rankle
