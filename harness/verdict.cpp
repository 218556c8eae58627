// Names, JSON form and signatures of verdicts. The JSON is canonical: every field is always there,
// in sorted order, so that equal verdicts are equal bytes in repro files and between processes.
#include "harness/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace rankle {
namespace {

using nlohmann::json;

struct KindName {
  FindingKind kind;
  std::string_view name;
};

constexpr std::array<KindName, 21> kKinds{{
    {FindingKind::wrong_result, "wrong-result"},
    {FindingKind::input_modified, "input-modified"},
    {FindingKind::redzone, "redzone"},
    {FindingKind::out_of_bounds, "out-of-bounds"},
    {FindingKind::use_after_free, "use-after-free"},
    {FindingKind::misaligned, "misaligned"},
    {FindingKind::uninitialised_read, "uninitialised-read"},
    {FindingKind::peer_access, "peer-access"},
    {FindingKind::data_race, "data-race"},
    {FindingKind::scope_race, "scope-race"},
    {FindingKind::relaxed_handoff, "relaxed-handoff"},
    {FindingKind::wave_synchronous, "wave-synchronous"},
    {FindingKind::barrier_divergence, "barrier-divergence"},
    {FindingKind::deadlock, "deadlock"},
    {FindingKind::livelock, "livelock"},
    {FindingKind::rank_mismatch, "rank-mismatch"},
    {FindingKind::nondeterminism, "nondeterminism"},
    {FindingKind::leak, "leak"},
    {FindingKind::api_error, "api-error"},
    {FindingKind::crash, "crash"},
    {FindingKind::timeout, "timeout"},
}};

constexpr std::array<std::string_view, 5> kOutcomes{"pass", "finding", "flaky", "invalid-case",
                                                    "environment-error"};

Outcome outcome_from(const std::string& name) {
  const auto it = std::find(kOutcomes.begin(), kOutcomes.end(), name);
  if (it == kOutcomes.end()) {
    // json::type_error so that every fault of the document is a json::exception for the caller.
    throw json::type_error::create(
        302,
        fmt::format("outcome: '{}' is not allowed; one of {}", name, fmt::join(kOutcomes, ", ")),
        nullptr);
  }
  return static_cast<Outcome>(it - kOutcomes.begin());
}

// 64-bit hashes are hex strings: readers in other languages round numbers beyond 2^53.
std::string hex_of(std::uint64_t value) { return fmt::format("{:016x}", value); }

std::uint64_t hex_from(const std::string& text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, 16);
  if (error != std::errc{} || stop != end) {
    throw json::type_error::create(
        302, fmt::format("trace_hash: '{}' is not allowed; 1 to 16 hex digits", text), nullptr);
  }
  return value;
}

std::string one_line(std::string text) {
  std::replace_if(text.begin(), text.end(), [](unsigned char c) { return c < ' '; }, ' ');
  return text;
}

void to_json(json& j, const Site& site) {
  j = {{"function", site.function}, {"file", site.file}, {"line", site.line}};
}

void from_json(const json& j, Site& site) {
  j.at("function").get_to(site.function);
  j.at("file").get_to(site.file);
  j.at("line").get_to(site.line);
}

void to_json(json& j, const Actor& actor) {
  j = {{"rank", actor.rank}, {"block", actor.block}, {"thread", actor.thread}};
  if (actor.step >= 0) j["step"] = actor.step;
}

void from_json(const json& j, Actor& actor) {
  j.at("rank").get_to(actor.rank);
  j.at("block").get_to(actor.block);
  j.at("thread").get_to(actor.thread);
  actor.step = j.value("step", -1);
}

void to_json(json& j, const RunStats& stats) {
  j = {{"threads", stats.threads},   {"accesses", stats.accesses}, {"steps", stats.steps},
       {"barriers", stats.barriers}, {"entities", stats.entities}, {"gave_way", stats.gave_way},
       {"seconds", stats.seconds}};
}

void from_json(const json& j, RunStats& stats) {
  j.at("threads").get_to(stats.threads);
  j.at("accesses").get_to(stats.accesses);
  j.at("steps").get_to(stats.steps);
  j.at("barriers").get_to(stats.barriers);
  j.at("entities").get_to(stats.entities);
  j.at("gave_way").get_to(stats.gave_way);
  j.at("seconds").get_to(stats.seconds);
}

// Site and Actor have no JSON functions of their own in the public header; these two lists use the
// ones above.
template <class T>
json list_of(const std::vector<T>& items) {
  json list = json::array();
  for (const T& item : items) {
    to_json(list.emplace_back(), item);
  }
  return list;
}

template <class T>
void list_from(const json& list, std::vector<T>& items) {
  items.clear();
  for (const json& entry : list) {
    from_json(entry, items.emplace_back());
  }
}

}  // namespace

std::string_view name_of(FindingKind kind) {
  const auto it = std::find_if(kKinds.begin(), kKinds.end(),
                               [kind](const KindName& entry) { return entry.kind == kind; });
  if (it == kKinds.end()) {
    throw std::logic_error(fmt::format("finding kind {} has no name", static_cast<int>(kind)));
  }
  return it->name;
}

std::optional<FindingKind> finding_kind_from(std::string_view name) {
  const auto it = std::find_if(kKinds.begin(), kKinds.end(),
                               [name](const KindName& entry) { return entry.name == name; });
  return it == kKinds.end() ? std::nullopt : std::optional(it->kind);
}

std::vector<FindingKind> all_finding_kinds() {
  std::vector<FindingKind> kinds;
  for (const KindName& entry : kKinds) {
    kinds.push_back(entry.kind);
  }
  return kinds;
}

std::string signature_of(const Finding& finding, std::string_view target) {
  std::vector<std::string> places;
  for (const Site& site : finding.sites) {
    if (site.function.empty() && site.file.empty()) {
      continue;
    }
    // Where a clock interrupts a loop is chance: a timeout is the same one anywhere in its
    // function.
    places.push_back(finding.kind == FindingKind::timeout
                         ? fmt::format("{} {}", site.function, site.file)
                         : fmt::format("{} {}:{}", site.function, site.file, site.line));
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  std::string signature = fmt::format("{}|{}", name_of(finding.kind), target);
  if (!places.empty()) {
    signature += fmt::format("|{}", fmt::join(places, "; "));
  } else if (!finding.subkind.empty()) {
    signature += fmt::format("|{}", finding.subkind);
  }
  return one_line(std::move(signature));
}

void to_json(json& j, const Finding& finding) {
  j = {{"kind", name_of(finding.kind)},   {"subkind", finding.subkind},
       {"message", finding.message},      {"details", finding.details},
       {"sites", list_of(finding.sites)}, {"actors", list_of(finding.actors)},
       {"roles", finding.roles}};
}

void from_json(const json& j, Finding& finding) {
  const std::string kind = j.at("kind").get<std::string>();
  const auto known = finding_kind_from(kind);
  if (!known) {
    throw json::type_error::create(302, fmt::format("kind: '{}' is no kind of finding", kind),
                                   nullptr);
  }
  finding.kind = *known;
  j.at("message").get_to(finding.message);
  j.at("details").get_to(finding.details);
  list_from(j.at("sites"), finding.sites);
  list_from(j.at("actors"), finding.actors);
  finding.roles = j.value("roles", std::vector<std::string>{});
  finding.subkind = j.value("subkind", "");
}

void to_json(json& j, const Verdict& verdict) {
  j = {{"outcome", kOutcomes.at(static_cast<std::size_t>(verdict.outcome))},
       {"findings", verdict.findings},
       {"warnings", verdict.warnings},
       {"error", verdict.error},
       {"trace_hash", hex_of(verdict.trace_hash)},
       {"variants", verdict.variants}};
  to_json(j["stats"], verdict.stats);
  json& switches = j["switches"] = json::array();
  for (const Switch& s : verdict.switches) switches.push_back({s.step, s.entity});
}

void from_json(const json& j, Verdict& verdict) {
  verdict.outcome = outcome_from(j.at("outcome").get<std::string>());
  j.at("findings").get_to(verdict.findings);
  j.at("warnings").get_to(verdict.warnings);
  j.at("error").get_to(verdict.error);
  verdict.trace_hash = hex_from(j.at("trace_hash").get<std::string>());
  j.at("variants").get_to(verdict.variants);
  from_json(j.at("stats"), verdict.stats);
  verdict.switches.clear();
  for (const json& entry : j.at("switches")) {
    verdict.switches.push_back(
        {entry.at(0).get<std::uint64_t>(), entry.at(1).get<std::uint64_t>()});
  }
}

}  // namespace rankle
