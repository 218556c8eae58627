// Names and JSON form of run options.
#include "harness/run_options.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "generators/name_table.h"

namespace rankle {
namespace {

using nlohmann::json;

constexpr detail::NameTable<Severity, 3> kSeverities{
    {Severity::error, Severity::warning, Severity::off}, {"error", "warning", "off"}};
constexpr detail::NameTable<VolatileModel, 2> kVolatileModels{
    {VolatileModel::relaxed, VolatileModel::plain}, {"relaxed", "plain"}};

template <typename T>
void name_from(const json& object, const char* key, T& value,
               std::optional<T> (*from)(std::string_view)) {
  if (!object.contains(key)) return;
  const std::string name = object.at(key).get<std::string>();
  const std::optional<T> known = from(name);
  if (!known) {
    throw json::type_error::create(302, fmt::format("{}: '{}' is not allowed", key, name), nullptr);
  }
  value = *known;
}

template <typename T>
void value_from(const json& object, const char* key, T& value) {
  if (object.contains(key)) object.at(key).get_to(value);
}

}  // namespace

std::string_view name_of(Severity severity) { return kSeverities.name(severity); }
std::string_view name_of(VolatileModel model) { return kVolatileModels.name(model); }
std::optional<Severity> severity_from(std::string_view name) { return kSeverities.from(name); }
std::optional<VolatileModel> volatile_model_from(std::string_view name) {
  return kVolatileModels.from(name);
}
std::span<const Severity> all_severities() { return kSeverities.values; }
std::span<const VolatileModel> all_volatile_models() { return kVolatileModels.values; }

void to_json(json& j, const RunOptions& options) {
  j = {{"keep_going", options.keep_going},
       {"deadline_s", options.deadline_s},
       {"relaxed_handoff", name_of(options.relaxed_handoff)},
       {"wave_synchronous", name_of(options.wave_synchronous)},
       {"volatile", name_of(options.volatile_model)},
       {"record_switches", options.record_switches},
       {"verify_determinism", options.verify_determinism}};
  if (options.random_from) j["random_from"] = *options.random_from;
}

void from_json(const json& j, RunOptions& options) {
  value_from(j, "keep_going", options.keep_going);
  value_from(j, "deadline_s", options.deadline_s);
  name_from(j, "relaxed_handoff", options.relaxed_handoff, &severity_from);
  name_from(j, "wave_synchronous", options.wave_synchronous, &severity_from);
  name_from(j, "volatile", options.volatile_model, &volatile_model_from);
  value_from(j, "record_switches", options.record_switches);
  value_from(j, "verify_determinism", options.verify_determinism);
  if (j.contains("random_from")) options.random_from = j.at("random_from").get<std::uint64_t>();
}

}  // namespace rankle
