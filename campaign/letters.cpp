// See letters.h.
#include "campaign/letters.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "generators/case_json.h"

namespace rankle {
namespace {

using nlohmann::json;

std::string text_of(const json& letter) {
  return letter.dump(-1, ' ', false, json::error_handler_t::replace);
}

template <class Read>
auto read(std::string_view letter, const Read& read) {
  try {
    return read(json::parse(letter));
  } catch (const json::exception& wrong) {
    throw std::runtime_error(
        fmt::format("a letter of another rank cannot be read: {}", wrong.what()));
  }
}

json json_of(const FuzzProgress& p) {
  return {p.cases,  p.findings, p.flaky,    p.warnings, p.duplicates,
          p.passed, p.failed,   p.timeouts, p.errors,   p.retries};
}

FuzzProgress counts_of(const json& list) {
  FuzzProgress p;
  std::size_t i = 0;
  for (std::uint64_t* count : {&p.cases, &p.findings, &p.flaky, &p.warnings, &p.duplicates,
                               &p.passed, &p.failed, &p.timeouts, &p.errors, &p.retries}) {
    *count = list.at(i++);
  }
  return p;
}

}  // namespace

std::string to_letter(const Setup& setup) {
  json lanes = json::array();
  for (const Lane& lane : setup.lanes) lanes.push_back({lane.first, lane.stride});
  json corpus = json::array();
  for (const Case& c : setup.corpus) corpus.push_back(case_to_text(c));
  return text_of({{"letter", "setup"},
                  {"arguments", setup.arguments},
                  {"seed", setup.seed},
                  {"lanes", std::move(lanes)},
                  {"known", setup.known},
                  {"corpus", std::move(corpus)},
                  {"seconds", setup.seconds}});
}

Setup setup_of(std::string_view letter) {
  return read(letter, [](const json& from) {
    Setup setup;
    setup.arguments = from.at("arguments");
    setup.seed = from.at("seed");
    for (const json& lane : from.at("lanes")) setup.lanes.push_back({lane.at(0), lane.at(1)});
    setup.known = from.at("known");
    for (const json& text : from.at("corpus")) {
      std::optional<JsonError> wrong;
      const auto c = case_from_text(text.get<std::string>(), wrong);
      if (c) setup.corpus.push_back(*c);
    }
    setup.seconds = from.at("seconds");
    return setup;
  });
}

std::string to_letter(const FindingLetter& finding) {
  const Found& found = finding.found;
  return text_of({{"letter", "finding"},
                  {"number", finding.number},
                  {"settled", finding.is_settled},
                  {"repro", to_text(found.repro)},
                  {"seconds", found.seconds},
                  {"cases", found.cases},
                  {"from_corpus", found.from_corpus},
                  {"minimised",
                   {static_cast<int>(found.minimised.end), found.minimised.attempts,
                    found.minimised.accepted, found.minimised.seconds}}});
}

FindingLetter finding_of(std::string_view letter) {
  return read(letter, [](const json& from) {
    FindingLetter finding;
    finding.number = from.at("number");
    finding.is_settled = from.at("settled");
    Found& found = finding.found;
    found.repro = repro_from_text(from.at("repro").get<std::string>(), "a finding of another rank");
    found.seconds = from.at("seconds");
    found.cases = from.at("cases");
    found.from_corpus = from.at("from_corpus");
    const json& minimised = from.at("minimised");
    found.minimised.end = MinimiseEnd(minimised.at(0).get<int>());
    found.minimised.attempts = minimised.at(1);
    found.minimised.accepted = minimised.at(2);
    found.minimised.seconds = minimised.at(3);
    return finding;
  });
}

std::string to_letter(const ProgressLetter& progress) {
  json cells = json::array();
  for (const auto& [cell, hits] : progress.cells) cells.push_back({cell, hits});
  return text_of({{"letter", "progress"},
                  {"next", progress.next},
                  {"counts", json_of(progress.counts)},
                  {"cells", std::move(cells)}});
}

ProgressLetter progress_of(std::string_view letter) {
  return read(letter, [](const json& from) {
    ProgressLetter progress;
    progress.next = from.at("next").get<std::vector<std::uint64_t>>();
    progress.counts = counts_of(from.at("counts"));
    for (const json& entry : from.at("cells")) {
      progress.cells.emplace_back(entry.at(0).get<Cell>(), entry.at(1).get<std::uint64_t>());
    }
    return progress;
  });
}

std::string to_letter(const DoneLetter& done) {
  return text_of({{"letter", "done"}, {"end", static_cast<int>(done.end)}, {"error", done.error}});
}

DoneLetter done_of(std::string_view letter) {
  return read(letter, [](const json& from) {
    return DoneLetter{FuzzEnd(from.at("end").get<int>()), from.at("error").get<std::string>()};
  });
}

std::string known_letter(const std::string& signature) {
  return text_of({{"letter", "known"}, {"signature", signature}});
}

std::string stop_letter() { return text_of({{"letter", "stop"}}); }

std::string kind_of(std::string_view letter) {
  return read(letter, [](const json& from) { return from.at("letter").get<std::string>(); });
}

std::string signature_of(std::string_view letter) {
  return read(letter, [](const json& from) { return from.at("signature").get<std::string>(); });
}

}  // namespace rankle
