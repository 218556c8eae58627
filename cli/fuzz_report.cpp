// See fuzz_report.h.
#include "cli/fuzz_report.h"

#include <fmt/format.h>

#include "cli/events.h"
#include "cli/units.h"
#include "repro/describe_case.h"
#include "repro/explain.h"

namespace rankle::cli {
namespace {

constexpr double kLineInterval_s = 0.1;
constexpr double kEventInterval_s = 1;
constexpr std::size_t kNeverHitLines = 24;

std::string reason_text(FuzzEnd end) {
  switch (end) {
    case FuzzEnd::cases_done:
      return "all cases ran";
    case FuzzEnd::time_up:
      return "time is up";
    case FuzzEnd::findings_reached:
      return "stopped at --max-findings";
    case FuzzEnd::interrupted:
      return "interrupted";
    case FuzzEnd::store_failed:
      return "nothing can be written any more";
    case FuzzEnd::rank_failed:
      return "another rank could not go on";
    case FuzzEnd::blind:
      return "the canary was not found";
  }
  return "";
}

std::string counted(std::uint64_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace

void FuzzReport::case_done(const Case& c, const Verdict& verdict, const FuzzProgress& progress) {
  coverage_.add(cells_of(c, verdict));
  table_.case_done(c, verdict);
  if (statistics_wanted_) statistics_.add(c, verdict);
  if (console_.live() && due(line_drawn_, kLineInterval_s)) live(c.target, progress, "");
  if (console_.json() && due(event_sent_, kEventInterval_s)) {
    console_.event("progress", {{"seconds", progress.seconds},
                                {"cases", progress.cases},
                                {"cases_per_s", progress.cases_per_s},
                                {"findings", progress.findings},
                                {"coverage", coverage_.share()},
                                {"cells", coverage_.hit()},
                                {"target", c.target}});
  }
}

void FuzzReport::minimising(const Repro& so_far, const FuzzProgress& progress) {
  if (console_.live()) {
    live(so_far.failing.target, progress, "shrinking: " + summarise_case(so_far.failing));
  }
}

void FuzzReport::found(const Found& found) {
  const Repro& repro = found.repro;
  ++findings_;
  table_.found(repro);
  Json fields = finding_fields(repro);
  fields["cases"] = found.cases;
  fields["seconds"] = found.seconds;
  fields["repro"] = found.file.string();
  fields["seed"] = repro.seed;
  if (!found.from_corpus) fields["case_index"] = repro.case_index;
  fields["minimise_seconds"] = found.minimised.seconds;
  fields["minimise_attempts"] = found.minimised.attempts;
  fields["minimise_end"] = name_of(found.minimised.end);
  if (!found.write_error.empty()) fields["write_error"] = found.write_error;
  console_.event("finding", fields);

  console_.say(fmt::format("\nfinding {}: {} in {}", findings_, name_of(repro.finding.kind),
                           repro.failing.target),
               repro.flaky ? Style::yellow : Style::red);
  console_.say("  " + sentence_of(repro.finding));
  for (const Finding& further : repro.further) {
    console_.say(fmt::format("  then {}: {}", name_of(further.kind), sentence_of(further)));
    for (const std::string& detail : further.details) console_.say("    - " + printable(detail));
  }
  if (repro.flaky) {
    console_.say(fmt::format("  flaky p={}/{}: not every run of the same case fails",
                             repro.flaky->failed, repro.flaky->runs));
  }
  console_.say(fmt::format("  {}: {}", found.minimised.accepted > 0 ? "smallest case" : "case",
                           summarise_case(repro.failing)));
  console_.say(fmt::format("  found after {} in {}, shrunk in {} ({}, {})",
                           counted(found.cases, "case"), format_duration(found.seconds),
                           format_duration(found.minimised.seconds),
                           counted(found.minimised.attempts, "run"), name_of(found.minimised.end)));
  if (!found.write_error.empty()) console_.error(found.write_error);
  if (!found.file.empty()) console_.say("  " + replay_command(found.file.string()));
  if (!found.from_corpus) console_.say("  " + fuzz_command(repro));
}

void FuzzReport::warned(const Case& c, const Finding& warning) {
  console_.event("warning", {{"target", c.target},
                             {"kind", name_of(warning.kind)},
                             {"signature", signature_of(warning, c.target)},
                             {"message", warning.message}});
  console_.say(fmt::format("\nwarning: {} in {}", name_of(warning.kind), c.target), Style::yellow);
  console_.say("  " + sentence_of(warning));
  for (const std::string& detail : warning.details) console_.say("    - " + printable(detail));
}

void FuzzReport::say_never_hit() {
  console_.note("\nnever tried");
  for (const std::string& line : coverage_.never_hit(kNeverHitLines)) console_.note("  " + line);
}

void FuzzReport::end(const FuzzSummary& summary, int exit_code, const Json& more) {
  const FuzzProgress& p = summary.progress;
  console_.live_line("");
  if (statistics_wanted_) {
    console_.say("\nstatistics");
    for (const std::string& line : statistics_.lines()) console_.say(line);
    say_never_hit();
  }
  for (const std::string& line : table_.lines(coverage_)) console_.note(line);
  console_.note(
      fmt::format("\n{} in {} ({:.0f} cases/s), {}{}{}{}: {}", counted(p.cases, "case"),
                  format_duration(p.seconds), p.cases_per_s, counted(p.findings, "finding"),
                  p.flaky > 0 ? fmt::format(" ({} flaky)", p.flaky) : "",
                  p.warnings > 0 ? ", " + counted(p.warnings, "warning") : "",
                  p.duplicates > 0 ? fmt::format(", {} seen again", p.duplicates) : "",
                  reason_text(summary.end)),
      p.findings == 0 ? Style::green : Style::bold);
  Json fields = {{"exit", exit_code},
                 {"cases", p.cases},
                 {"seconds", p.seconds},
                 {"cases_per_s", p.cases_per_s},
                 {"findings", p.findings},
                 {"flaky", p.flaky},
                 {"duplicates", p.duplicates},
                 {"warnings", p.warnings},
                 {"coverage", coverage_.share()},
                 {"cells", coverage_.hit()},
                 {"cells_max", coverage_.space()},
                 {"reason", reason_text(summary.end)}};
  if (statistics_wanted_) fields["statistics"] = statistics_.json();
  fields.update(more);
  console_.event("end", fields);
}

bool FuzzReport::due(std::chrono::steady_clock::time_point& last, double interval_s) {
  const auto now = std::chrono::steady_clock::now();
  if (std::chrono::duration<double>(now - last).count() < interval_s) return false;
  last = now;
  return true;
}

void FuzzReport::live(const std::string& target, const FuzzProgress& progress,
                      const std::string& doing) {
  console_.live_line(fmt::format(
      "{} | {} | {:.0f} cases/s | coverage {:.2f} % | {} | {}", format_duration(progress.seconds),
      counted(progress.cases, "case"), progress.cases_per_s, 100 * coverage_.share(),
      counted(progress.findings, "finding"), doing.empty() ? target : doing));
}

}  // namespace rankle::cli
