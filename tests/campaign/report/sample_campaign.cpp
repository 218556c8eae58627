// See sample_campaign.h.
#include "tests/campaign/report/sample_campaign.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "repro/explain.h"
#include "repro/repro_file.h"
#include "tests/repro/sample_repro.h"

namespace rankle::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kProgressEvents = 8640;
constexpr double kProgressInterval_s = 10;

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

std::string progress_lines(int from, int to) {
  std::string lines;
  for (int i = from; i < to; ++i) {
    const double share = double(i + 1) / kProgressEvents;
    const double rate = 212 + 18 * std::sin(i / 97.0) + (i % 7);
    const Json event = {{"event", "progress"},
                        {"t", (i + 1) * kProgressInterval_s},
                        {"cases", (i + 1) * 2150},
                        {"cases_per_s", rate},
                        {"findings", share < 0.02  ? 0
                                     : share < 0.3 ? 1
                                     : share < 0.7 ? 3
                                                   : 4},
                        {"cells", std::floor(1400 * (1 - std::exp(-8 * share)))}};
    lines += event.dump() + "\n";
  }
  return lines;
}

// The middle was rotated away, the last line is torn.
void write_events(const fs::path& folder) {
  write(folder / "events.2.jsonl",
        Json({{"event", "start"}, {"t", 0}, {"seed", 7}}).dump() + "\n" + progress_lines(0, 3000));
  write(folder / "events.1.jsonl",
        progress_lines(3000, 6000) +
            Json({{"event", "worker"},
                  {"t", 60001},
                  {"what", "died"},
                  {"deaths", 3},
                  {"worker", 1},
                  {"why", "SIGSEGV"}})
                .dump() +
            "\n" + Json({{"event", "resumed"}, {"t", 60002}, {"replayed", 3}}).dump() + "\n");
  write(folder / "events.jsonl",
        progress_lines(6000, kProgressEvents) +
            Json({{"event", "warning"}, {"t", 86000}, {"message", kHostileText}}).dump() + "\n" +
            Json({{"event", "end"}, {"t", 86400}, {"reason", "time is up"}}).dump() +
            "\n{\"event\":\"progr");
}

void write_finding(const fs::path& folder, const Repro& repro, const std::string& log, double t,
                   int times) {
  const fs::path place = folder / repro_stem(repro);
  write(place / "case.json", to_text(repro));
  write(place / "original.json", to_text(repro));
  write(place / "explanation.txt", explain(repro, {}));
  write(place / "log.txt", log);
  write(place / "found.json",
        Json({{"t", t}, {"cases", std::floor(t * 215)}, {"seen", times}}).dump());
}

Repro with_kind(FindingKind kind, int line) {
  Repro repro = sample_repro();
  repro.finding.kind = kind;
  repro.finding.sites.front().line = line;
  repro.signature = signature_of(repro.finding, repro.failing.target);
  return repro;
}

void write_findings(const fs::path& folder) {
  write_finding(folder / "findings", with_kind(FindingKind::barrier_divergence, 71),
                "block 1: barrier at 71\n", 1742, 23);
  Repro hostile = with_kind(FindingKind::data_race, 88);
  hostile.finding.message = kHostileText;
  hostile.finding.details = {kHostileText};
  hostile.finding.sites.front().function = "reduce<bf16>";
  hostile.signature = signature_of(hostile.finding, hostile.failing.target);
  write_finding(folder / "findings", hostile, kHostileText, 26000, 4);
  Repro flaky = with_kind(FindingKind::timeout, 90);
  flaky.flaky = FlakyNote{2, 5};
  write_finding(folder / "flaky", flaky, "", 26100, 1);
  write_finding(folder / "fixed", with_kind(FindingKind::leak, 120), "", 61000, 9);
  write(folder / "findings" / "torn" / "case.json", "{\"schema\": 1, ");
}

void write_coverage(const fs::path& folder) {
  const char* const targets[] = {"allreduce/two_stage_tail", "allreduce/two_stage_uniform",
                                 "allreduce/one_stage", "allgather/ring", "alltoall/pull"};
  const char* const dtypes[] = {"bf16", "fp16", "fp32", "fp64", "int8"};
  const char* const tails[] = {"none", "partial-tile", "loose"};
  const char* const policies[] = {"run-to-block", "random", "pct", "rank-late"};
  const int worlds[] = {2, 3, 4, 6, 8};
  Json cells = Json::array();
  int i = 0;
  for (const char* target : targets) {
    for (const char* dtype : dtypes) {
      for (const int world : worlds) {
        for (const char* tail : tails) {
          for (const char* policy : policies) {
            ++i;
            // int8 is never drawn on two targets, and two_stage_tail takes it at no world.
            const bool is_int8 = dtype == dtypes[4];
            if (is_int8 && target == targets[0]) continue;
            const bool never = (is_int8 && target == targets[3]) || i % 29 == 0;
            const double hits = never ? 0 : std::exp((i * 7919 % 1000) / 110.0) + world;
            cells.push_back({{"target", target},
                             {"variant", "main"},
                             {"dtype", dtype},
                             {"world", world},
                             {"tail", tail},
                             {"alignment", "aligned"},
                             {"pattern", "rounds"},
                             {"policy", policy},
                             {"hits", std::uint64_t(hits)}});
          }
        }
      }
    }
  }
  write(folder / "coverage.json",
        Json({{"schema", 1}, {"space", cells.size()}, {"cells", cells}}).dump());
}

}  // namespace

void write_sample_campaign(const fs::path& folder) {
  write(folder / "config.json", Json({{"schema", 1},
                                      {"version", "0.1.0"},
                                      {"commit", "0123456789ab"},
                                      {"platform", "sim"},
                                      {"seed", 7},
                                      {"jobs", 2},
                                      {"started", "2026-03-01T12:00:00Z"},
                                      {"selection", {{"target", "*"}}}})
                                    .dump(2));
  write_events(folder);
  write_findings(folder);
  write_coverage(folder);
  write(folder / "mutants.json",
        Json::array({{{"mutant", "allreduce/two_stage_tail@tail_drop"},
                      {"class", "TAIL"},
                      {"found_by", "wrong-result"},
                      {"cases", 12}},
                     {{"mutant", "allreduce/two_stage_uniform@divergent_barrier"},
                      {"class", "BARRIER"},
                      {"found_by", "barrier-divergence"},
                      {"cases", 3}},
                     {{"mutant", "allreduce/one_stage@stale_flag"},
                      {"class", "EPOCH"},
                      {"found_by", ""},
                      {"cases", 50000}}})
            .dump());
}

}  // namespace rankle::test
