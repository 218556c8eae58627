// Options as text with where they came from, so that a complaint can name the option or the
// environment variable that the value was given in. Precedence: option, RANKLE_<OPTION>, default.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace rankle::cli {

class TextOption {
 public:
  bool given() const { return given_; }
  const std::string& text() const { return text_; }
  // "--world", or "RANKLE_WORLD" if that is where the value came from.
  const std::string& origin() const { return origin_; }

  // The value as a whole number in [min, max]. Throws UsageError.
  std::uint64_t whole_number(std::uint64_t min, std::uint64_t max) const;
  // The value in seconds, more than 0. Throws UsageError.
  double seconds() const;
  // The value split at commas, no part empty. Throws UsageError naming what is `allowed`.
  std::vector<std::string> list(std::string_view allowed) const;
  // Throws UsageError "<origin>: '<value>' <why>".
  [[noreturn]] void refuse(std::string_view why) const;

 private:
  friend class OptionSet;
  std::string text_;
  std::string origin_;
  bool given_ = false;
};

// Declares options on a subcommand and fills in the environment's values after parsing.
class OptionSet {
 public:
  explicit OptionSet(CLI::App& app) : app_(&app) {}

  // `name` is the long option without dashes. `fallback` is its value when nothing gives one, ""
  // for none. The returned option lives as long as the set.
  const TextOption& add(const std::string& name, const std::string& what,
                        const std::string& fallback = "");
  // As add, but RANKLE_<OPTION> is not read: for an option that changes what a file means, where a
  // variable exported for another command must not reach.
  const TextOption& add_without_variable(const std::string& name, const std::string& what);
  // A flag: true if given, or if its variable is set to anything but "", "0" or "false".
  const bool& flag(const std::string& name, const std::string& what);

  // Reads RANKLE_<OPTION> for what the command line left out.
  void read_environment();

  // What was given, by name, flags as "true".
  std::map<std::string, std::string> given() const;
  // As if `texts` (of given(), from an earlier run) had been given here, where nothing was. A text
  // that was given here and differs from `texts`, or is not in them, throws UsageError, unless its
  // name is in `free`; `where` says what it disagrees with.
  void adopt(const std::map<std::string, std::string>& texts, const std::set<std::string>& free,
             const std::string& where);

 private:
  struct Text {
    std::string name;
    TextOption value;
    CLI::Option* option = nullptr;
    std::string variable;
    std::string fallback;
  };
  struct Flag {
    std::string name;
    bool value = false;
    CLI::Option* option = nullptr;
    std::string variable;
  };

  CLI::App* app_;
  std::vector<std::unique_ptr<Text>> texts_;
  std::vector<std::unique_ptr<Flag>> flags_;
};

}  // namespace rankle::cli
