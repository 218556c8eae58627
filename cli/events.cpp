// See events.h.
#include "cli/events.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstdlib>

#include "cli/build_info.h"
#include "generators/case_json.h"
#include "generators/contract_json.h"
#include "repro/explain.h"

namespace rankle::cli {

Json start_fields(const std::string& command, const std::string& platform) {
  return {{"command", command},
          {"version", version()},
          {"commit", commit()},
          {"platform", platform},
          {"devices", devices_of(platform)}};
}

Json start_fields(const std::string& command, const std::string& platform, Executor& executor) {
  Json fields = start_fields(command, platform);
  fields["detectors"] = detector_fields(executor.detectors());
  if (const auto names = executor.devices(); !names.empty()) {
    fields["devices"] = fmt::format("{}", fmt::join(names, ", "));
  }
  return fields;
}

std::string start_line(const std::string& platform, const std::string& rest) {
  std::string line = fmt::format("rankle {} ({}), platform {} ({})", version(), commit(), platform,
                                 devices_of(platform));
  if (!rest.empty()) line += ", " + rest;
  return line;
}

std::string devices_of(const std::string& platform) {
  std::string text =
      platform == "sim" ? "simulated devices, one per rank" : "devices of this machine";
  constexpr std::array kVariables = {"HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"};
  for (const char* variable : kVariables) {
    const char* value = std::getenv(variable);
    if (value != nullptr) text += fmt::format("; {}={}", variable, printable(value));
  }
  return text;
}

Json detector_fields(const std::set<FindingKind>& detectors) {
  Json fields = Json::object();
  for (const FindingKind kind : all_finding_kinds()) {
    fields[std::string(name_of(kind))] = detectors.contains(kind);
  }
  return fields;
}

Json target_fields(const Contract& contract, const std::set<FindingKind>& detectors) {
  Json fields = {{"name", contract.target},        {"family", contract.family},
                 {"class", contract.mutant_class}, {"dtypes", Json::array()},
                 {"worlds", contract.worlds},      {"summary", contract.summary}};
  for (const DType dtype : contract.dtypes) fields["dtypes"].push_back(name_of(dtype));
  fields["contract"] = contract_to_json(contract);
  fields["detectors"] = detector_fields(detectors);
  return fields;
}

Json finding_fields(const Repro& repro) {
  Json fields = {{"target", repro.failing.target},   {"kind", name_of(repro.finding.kind)},
                 {"signature", repro.signature},     {"message", sentence_of(repro.finding)},
                 {"details", repro.finding.details}, {"case", case_to_json(repro.failing)},
                 {"further", Json::array()},         {"trace_hash", hex(repro.trace_hash)}};
  for (const Finding& finding : repro.further) {
    fields["further"].push_back({{"kind", name_of(finding.kind)},
                                 {"signature", signature_of(finding, repro.failing.target)},
                                 {"message", sentence_of(finding)},
                                 {"details", finding.details}});
  }
  if (repro.flaky) {
    fields["flaky"] = fmt::format("{}/{}", repro.flaky->failed, repro.flaky->runs);
  }
  return fields;
}

std::string hex(std::uint64_t hash) { return fmt::format("0x{:016x}", hash); }

}  // namespace rankle::cli
