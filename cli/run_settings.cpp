// See run_settings.h.
#include "cli/run_settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankle::cli {
namespace {

template <typename T>
void read(const TextOption& option, T& value, std::optional<T> (*from)(std::string_view),
          std::span<const T> all) {
  if (!option.given()) return;
  if (const std::optional<T> named = from(option.text())) {
    value = *named;
    return;
  }
  std::vector<std::string_view> names;
  for (const T one : all) names.push_back(name_of(one));
  option.refuse(fmt::format("is not allowed; one of {}", fmt::join(names, ", ")));
}

}  // namespace

RunSettings RunSettings::declare(OptionSet& options) {
  RunSettings settings;
  settings.relaxed_handoff_ = &options.add(
      "relaxed-handoff", "data behind a flag without release or acquire: error, warning or off");
  settings.wave_synchronous_ =
      &options.add("wave-synchronous", "lanes ordered by lockstep alone: error, warning or off");
  settings.volatile_ =
      &options.add("volatile", "volatile accesses: relaxed (atomic, system scope) or plain");
  settings.verify_determinism_ =
      &options.flag("verify-determinism", "run every case twice; a difference is a finding");
  return settings;
}

void RunSettings::apply(RunOptions& run) const {
  read(*relaxed_handoff_, run.relaxed_handoff, &severity_from, all_severities());
  read(*wave_synchronous_, run.wave_synchronous, &severity_from, all_severities());
  read(*volatile_, run.volatile_model, &volatile_model_from, all_volatile_models());
  run.verify_determinism |= *verify_determinism_;
}

bool RunSettings::given() const {
  return relaxed_handoff_->given() || wave_synchronous_->given() || volatile_->given();
}

}  // namespace rankle::cli
