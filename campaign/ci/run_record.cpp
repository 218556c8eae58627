// See run_record.h.
#include "campaign/ci/run_record.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "repro/describe_case.h"
#include "repro/explain.h"

namespace rankle {

std::string text_of(const RunFinding& finding) {
  const Repro& repro = finding.repro;
  std::string text = fmt::format("{} in {}\n{}\n", name_of(repro.finding.kind),
                                 repro.failing.target, sentence_of(repro.finding));
  for (const std::string& detail : repro.finding.details) {
    text += fmt::format("- {}\n", printable(detail));
  }
  if (repro.flaky) {
    text += fmt::format("flaky: fails in {} of {} runs\n", repro.flaky->failed, repro.flaky->runs);
  }
  text += fmt::format("smallest case: {}\n", summarise_case(repro.failing));
  if (!finding.file.empty()) text += replay_command(finding.file) + "\n";
  text += fuzz_command(repro) + "\n";
  return text;
}

std::string utc_text(std::time_t time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(time));
}

}  // namespace rankle
