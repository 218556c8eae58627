// Settings of a run that are not part of the case: how strictly races are judged, whether to go on
// after the first report, and what to record. Written into repro files and worker requests, in one
// JSON form.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace rankle {

// Of a kind of finding that common code relies on: it fails the run, is listed beside it, or goes
// unsaid.
enum class Severity { error, warning, off };

// Volatile accesses as relaxed atomic ones at system scope (as in PTX), or as ordinary ones (some
// code uses volatile only against caching).
enum class VolatileModel { relaxed, plain };

struct RunOptions {
  // Go on after the first report, so that what the bug does to the data becomes visible.
  bool keep_going = false;
  // Time after which a case counts as hung, in seconds.
  double deadline_s = 10;
  // Data handed over by a flag that lacks release or acquire where a kernel boundary or the like
  // may be meant to order it; and lanes of one wave ordered by lockstep alone. The kernels of this
  // repository do without either.
  Severity relaxed_handoff = Severity::error;
  Severity wave_synchronous = Severity::error;
  VolatileModel volatile_model = VolatileModel::relaxed;
  // Give the schedule back as switches (Verdict::switches).
  bool record_switches = false;
  // Under run-to-block: from this step on decide at random (of case.schedule.seed).
  std::optional<std::uint64_t> random_from;
  // Run the case twice; a difference in anything that is deterministic is a finding.
  bool verify_determinism = false;
  // For measurements only: no command sets it, and no file holds it.
  bool detect_races = true;

  bool operator==(const RunOptions&) const = default;
};

std::string_view name_of(Severity severity);  // "warning"
std::string_view name_of(VolatileModel model);
std::optional<Severity> severity_from(std::string_view name);
std::optional<VolatileModel> volatile_model_from(std::string_view name);
std::span<const Severity> all_severities();
std::span<const VolatileModel> all_volatile_models();

void to_json(nlohmann::json& json, const RunOptions& options);
// Throws nlohmann::json::exception. What is missing keeps its default: files of earlier versions
// know fewer settings.
void from_json(const nlohmann::json& json, RunOptions& options);

}  // namespace rankle
