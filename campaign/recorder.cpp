// See recorder.h.
#include "campaign/recorder.h"

#include <fmt/format.h>

#include <system_error>

#include "generators/case_json.h"
#include "repro/atomic_file.h"
#include "repro/explain.h"

namespace rankle {
namespace {

constexpr double kDeathInterval_s = 1;
// Each start of the campaign runs them all.
constexpr std::size_t kCorpusMax = 256;

std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

std::string file_name_of(const std::string& target, const std::string& variant) {
  std::string name;
  for (const char c : target) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    name += is_plain ? c : '-';
  }
  return fmt::format("{}-{:08x}.json", name, hash_of(variant) & 0xffffffff);
}

}  // namespace

EventFields finding_event(const Found& found) {
  const Repro& repro = found.repro;
  EventFields fields = {{"target", repro.failing.target}, {"kind", name_of(repro.finding.kind)},
                        {"signature", repro.signature},   {"message", sentence_of(repro.finding)},
                        {"cases", found.cases},           {"repro", found.file.string()}};
  if (repro.flaky) fields["flaky"] = fmt::format("{}/{}", repro.flaky->failed, repro.flaky->runs);
  if (!found.write_error.empty()) fields["write_error"] = found.write_error;
  return fields;
}

CampaignRecorder::CampaignRecorder(const FuzzPlan& plan, std::vector<Lane> lanes,
                                   const Parts& parts, RecordIntervals intervals)
    : plan_(plan), lanes_(std::move(lanes)), parts_(parts), intervals_(intervals) {
  for (const auto& [cell, hits] : parts_.coverage.cells()) variants_.insert({cell[0], cell[1]});
}

void CampaignRecorder::case_done(const Case& c, const Verdict& verdict,
                                 const FuzzProgress& progress) {
  if (!verdict.findings.empty()) {
    const Finding& first = verdict.findings.front();
    parts_.store.seen(signature_of(first, c.target), parts_.events.seconds());
    if (first.kind == FindingKind::crash || first.kind == FindingKind::timeout) {
      worker_died(c.target, first);
    }
  }
  keep_in_corpus(c, verdict);
  parts_.next.case_done(c, verdict, progress);
}

void CampaignRecorder::minimising(const Repro& so_far, const FuzzProgress& progress) {
  parts_.next.minimising(so_far, progress);
}

void CampaignRecorder::found(const Found& found) {
  parts_.events.add("finding", finding_event(found));
  parts_.next.found(found);
}

void CampaignRecorder::warned(const Case& c, const Finding& warning) {
  parts_.events.add("warning", {{"target", c.target},
                                {"kind", name_of(warning.kind)},
                                {"signature", signature_of(warning, c.target)},
                                {"message", warning.message}});
  parts_.next.warned(c, warning);
}

void CampaignRecorder::tick(const FuzzProgress& progress) {
  parts_.positions.set_seconds(parts_.events.seconds());
  if (is_due(progress_written_, intervals_.progress_s)) {
    parts_.events.add("progress", {{"cases", progress.cases},
                                   {"cases_per_s", progress.cases_per_s},
                                   {"findings", progress.findings},
                                   {"cells", parts_.coverage.hit()},
                                   {"coverage", parts_.coverage.share()}});
    attempt([&] { write_state(progress); });
  }
  if (is_due(coverage_written_, intervals_.coverage_s)) {
    attempt([&] { replace_file(parts_.dir.layout().coverage(), to_text(parts_.coverage)); });
    attempt([&] { parts_.store.write_counts(); });
  }
  if (error_.empty()) error_ = parts_.events.error();
  parts_.next.tick(progress);
}

void CampaignRecorder::worker_died(const std::string& target, const Finding& finding) {
  ++deaths_;
  ++deaths_total_;
  if (!is_due(death_written_, kDeathInterval_s)) return;
  parts_.events.add("worker", {{"what", "died"},
                               {"target", target},
                               {"kind", name_of(finding.kind)},
                               {"subkind", finding.subkind},
                               {"deaths", deaths_},
                               {"deaths_total", deaths_total_}});
  deaths_ = 0;
}

std::string CampaignRecorder::write_all(const FuzzProgress& progress) {
  attempt([&] { write_state(progress); });
  attempt([&] { replace_file(parts_.dir.layout().coverage(), to_text(parts_.coverage)); });
  attempt([&] { parts_.store.write_counts(); });
  if (error_.empty()) error_ = parts_.events.error();
  return error_;
}

bool CampaignRecorder::is_due(Clock::time_point& last, double interval_s) {
  const auto now = Clock::now();
  if (std::chrono::duration<double>(now - last).count() < interval_s) return false;
  last = now;
  return true;
}

// The first case of each variant that a target's dispatch can choose: few, and all the code.
void CampaignRecorder::keep_in_corpus(const Case& c, const Verdict& verdict) {
  if (verdict.outcome != Outcome::pass) return;
  for (const std::string& variant : verdict.variants) {
    if (variants_.size() >= kCorpusMax || !variants_.insert({c.target, variant}).second) continue;
    const auto file = parts_.dir.layout().corpus() / file_name_of(c.target, variant);
    // Kept before a kill that coverage.json missed.
    if (std::filesystem::exists(file)) continue;
    attempt([&] { replace_file(file, case_to_text(c)); });
  }
}

void CampaignRecorder::write_state(const FuzzProgress& progress) const {
  CampaignState state{progress, lanes_};
  state.progress.seconds = parts_.events.seconds();
  const std::vector<std::uint64_t> next = parts_.positions.all();
  for (std::size_t worker = 0; worker < next.size(); ++worker) {
    state.lanes[worker].first = next[worker];
  }
  parts_.dir.write_state(state, plan_.seed);
}

template <class Write>
void CampaignRecorder::attempt(const Write& write) {
  try {
    write();
  } catch (const std::system_error& error) {
    if (error_.empty()) error_ = error.what();
  }
}

}  // namespace rankle
