// See sarif_report.h.
#include "campaign/ci/sarif_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <vector>

#include "repro/explain.h"

namespace rankle {
namespace {

using Json = nlohmann::ordered_json;

// A path as the path of a URI: what may not stand in one is written as %XX.
std::string uri_of(const std::string& path) {
  std::string uri;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                          (byte >= '0' && byte <= '9') ||
                          std::string_view("/-._~@+").find(c) != std::string_view::npos;
    uri += is_plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return uri;
}

std::string fingerprint_of(const std::string& signature) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : signature) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

Json location_of(const Site& site) {
  Json physical = {{"artifactLocation", {{"uri", uri_of(site.file)}, {"uriBaseId", "SRCROOT"}}}};
  if (site.line >= 1) physical["region"] = {{"startLine", site.line}};
  Json location = {{"physicalLocation", physical}};
  if (!site.function.empty()) {
    location["logicalLocations"] =
        Json::array({Json{{"fullyQualifiedName", site.function}, {"kind", "function"}}});
  }
  return location;
}

// The first site is where the finding is; who else was involved is related.
void add_locations(const Finding& finding, Json& result) {
  result["locations"] = Json::array();
  Json related = Json::array();
  for (std::size_t i = 0; i < finding.sites.size(); ++i) {
    if (finding.sites[i].file.empty()) continue;
    Json location = location_of(finding.sites[i]);
    if (result["locations"].empty()) {
      result["locations"].push_back(location);
      continue;
    }
    location["id"] = related.size() + 1;
    const std::string who = i < finding.actors.size() ? name_of(finding.actors[i]) : "";
    if (!who.empty()) location["message"] = {{"text", who}};
    related.push_back(location);
  }
  if (!related.empty()) result["relatedLocations"] = related;
}

class Rules {
 public:
  explicit Rules(const RunRecord& record) {
    std::set<FindingKind> kinds;
    for (const RunFinding& found : record.findings) kinds.insert(found.repro.finding.kind);
    for (const RunWarning& warning : record.warnings) kinds.insert(warning.finding.kind);
    kinds_.assign(kinds.begin(), kinds.end());
  }

  Json json() const {
    Json rules = Json::array();
    for (const FindingKind kind : kinds_) {
      rules.push_back({{"id", name_of(kind)},
                       {"shortDescription", {{"text", meaning_of(kind)}}},
                       {"defaultConfiguration", {{"level", "error"}}}});
    }
    return rules;
  }

  std::size_t index_of(FindingKind kind) const {
    std::size_t index = 0;
    while (kinds_[index] != kind) ++index;
    return index;
  }

 private:
  std::vector<FindingKind> kinds_;
};

Json result_of(const Rules& rules, const Finding& finding, const std::string& target,
               const std::string& signature, const char* level, const std::string& text) {
  Json result = {{"ruleId", name_of(finding.kind)},
                 {"ruleIndex", rules.index_of(finding.kind)},
                 {"level", level},
                 {"message", {{"text", text}}}};
  add_locations(finding, result);
  result["partialFingerprints"] = {{"rankleSignature/v1", fingerprint_of(signature)}};
  result["properties"] = {{"target", target}, {"signature", signature}};
  return result;
}

Json results_of(const Rules& rules, const RunRecord& record) {
  Json results = Json::array();
  for (const RunFinding& found : record.findings) {
    const Repro& repro = found.repro;
    Json result = result_of(rules, repro.finding, repro.failing.target, repro.signature,
                            repro.flaky ? "warning" : "error", text_of(found));
    result["properties"]["seed"] = repro.seed;
    result["properties"]["case_index"] = repro.case_index;
    if (!found.file.empty()) result["properties"]["repro"] = found.file;
    results.push_back(std::move(result));
  }
  for (const RunWarning& warning : record.warnings) {
    results.push_back(result_of(rules, warning.finding, warning.target,
                                signature_of(warning.finding, warning.target), "note",
                                fmt::format("{} in {}\n{}", name_of(warning.finding.kind),
                                            warning.target, sentence_of(warning.finding))));
  }
  return results;
}

}  // namespace

std::string sarif_report(const RunRecord& record) {
  const Rules rules(record);
  Json invocation = {{"executionSuccessful", record.error.empty()},
                     {"exitCode", record.exit_code},
                     {"commandLine", record.command},
                     {"startTimeUtc", utc_text(record.started)},
                     {"endTimeUtc", utc_text(record.started + std::time_t(record.seconds))}};
  if (!record.error.empty()) {
    invocation["toolExecutionNotifications"] =
        Json::array({Json{{"level", "error"}, {"message", {{"text", record.error}}}}});
  }
  const Json driver = {{"name", "rankle"},
                       {"version", fmt::format("{} ({})", record.version, record.commit)},
                       {"rules", rules.json()}};
  const Json run = {{"tool", {{"driver", driver}}},
                    {"automationDetails", {{"id", "rankle/" + record.platform + "/"}}},
                    {"invocations", Json::array({invocation})},
                    {"originalUriBaseIds",
                     {{"SRCROOT", {{"description", {{"text", "the root of the repository"}}}}}}},
                    {"columnKind", "utf16CodeUnits"},
                    {"results", results_of(rules, record)},
                    {"properties", {{"seed", record.seed}, {"platform", record.platform}}}};
  // The schema is known by this name; nothing is fetched from it.
  const Json log = {{"version", "2.1.0"}, {"runs", Json::array({run})}};
  return log.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace rankle
