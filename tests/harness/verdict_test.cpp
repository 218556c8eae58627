// Names, JSON form and signatures of verdicts.
#include "harness/verdict.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace rankle {
namespace {

Finding race() {
  Finding finding;
  finding.kind = FindingKind::data_race;
  finding.message = "two threads touch one word";
  finding.details = {"no edge orders them"};
  finding.sites = {{"store_flag", "kernels/signal.h", 71}, {"load", "kernels/a.h", 12}};
  finding.actors = {{1, 2, 3, 4}, {0, -1, -1}};
  finding.subkind = "device";
  return finding;
}

TEST(FindingKind, EveryNameReadsBack) {
  for (int i = 0; i <= static_cast<int>(FindingKind::timeout); ++i) {
    const auto kind = static_cast<FindingKind>(i);
    EXPECT_EQ(finding_kind_from(name_of(kind)), kind) << i;
  }
  EXPECT_EQ(name_of(FindingKind::wrong_result), "wrong-result");
  EXPECT_EQ(name_of(FindingKind::uninitialised_read), "uninitialised-read");
  EXPECT_EQ(name_of(FindingKind::timeout), "timeout");
  EXPECT_EQ(finding_kind_from("wrong_result"), std::nullopt);
}

TEST(Signature, NamesKindTargetAndSortedPlaces) {
  EXPECT_EQ(signature_of(race(), "allreduce/x@y"),
            "data-race|allreduce/x@y|load kernels/a.h:12; store_flag kernels/signal.h:71");
}

TEST(Signature, DoesNotDependOnOrderOrRepetitionOfSites) {
  Finding other = race();
  std::reverse(other.sites.begin(), other.sites.end());
  other.sites.push_back(other.sites.front());
  EXPECT_EQ(signature_of(other, "t"), signature_of(race(), "t"));
}

TEST(Signature, DoesNotDependOnWordsOrActors) {
  Finding other = race();
  other.message = "something else";
  other.details.clear();
  other.actors = {{7, 7, 7}};
  EXPECT_EQ(signature_of(other, "t"), signature_of(race(), "t"));
}

TEST(Signature, UsesTheSubkindWhereNoSiteIsKnown) {
  Finding finding;
  finding.kind = FindingKind::wrong_result;
  EXPECT_EQ(signature_of(finding, "t"), "wrong-result|t");
  finding.subkind = "stale-round";
  EXPECT_EQ(signature_of(finding, "t"), "wrong-result|t|stale-round");
  finding.sites = {{}};
  EXPECT_EQ(signature_of(finding, "t"), "wrong-result|t|stale-round");
}

TEST(Signature, LinesTellCrashesApartButNotTimeouts) {
  Finding finding;
  finding.sites = {{"f", "k.h", 1}};
  finding.kind = FindingKind::crash;
  EXPECT_EQ(signature_of(finding, "t"), "crash|t|f k.h:1");
  finding.kind = FindingKind::timeout;
  EXPECT_EQ(signature_of(finding, "t"), "timeout|t|f k.h");
}

TEST(Signature, IsOneLine) {
  Finding finding;
  finding.sites = {{"f\ng", "k\t.h", 1}};
  EXPECT_EQ(signature_of(finding, "t"), "wrong-result|t|f g k .h:1");
}

Verdict full_verdict() {
  Verdict verdict;
  verdict.outcome = Outcome::finding;
  verdict.findings = {race(), Finding{}};
  verdict.error = "none";
  verdict.trace_hash = 0xfedcba9876543210;
  verdict.variants = {"tail", "aligned"};
  verdict.stats = {1, 2, 3, 4, 5, 6, 0.5};
  return verdict;
}

TEST(VerdictJson, RoundTrips) {
  EXPECT_EQ(nlohmann::json(full_verdict()).get<Verdict>(), full_verdict());
  EXPECT_EQ(nlohmann::json(Verdict{}).get<Verdict>(), Verdict{});
}

TEST(VerdictJson, RoundTripsEveryOutcome) {
  for (const Outcome outcome : {Outcome::pass, Outcome::finding, Outcome::flaky,
                                Outcome::invalid_case, Outcome::environment_error}) {
    Verdict verdict;
    verdict.outcome = outcome;
    EXPECT_EQ(nlohmann::json(verdict).get<Verdict>().outcome, outcome);
  }
}

TEST(VerdictJson, IsCanonical) {
  EXPECT_EQ(nlohmann::json(Verdict{}).dump(),
            R"({"error":"","findings":[],"outcome":"pass","stats":{"accesses":0,"barriers":0,)"
            R"("entities":0,"gave_way":0,"seconds":0.0,"steps":0,"threads":0},)"
            R"("switches":[],"trace_hash":"0000000000000000",)"
            R"("variants":[],"warnings":[]})");
  const std::string text = nlohmann::json(full_verdict()).dump();
  EXPECT_EQ(nlohmann::json(nlohmann::json::parse(text).get<Verdict>()).dump(), text);
}

TEST(VerdictJson, RefusesUnknownNamesAndMissingFields) {
  const nlohmann::json good = full_verdict();
  for (const char* field : {"outcome", "findings", "error", "trace_hash", "variants", "stats"}) {
    nlohmann::json bad = good;
    bad.erase(field);
    EXPECT_THROW(bad.get<Verdict>(), nlohmann::json::exception) << field;
  }
  nlohmann::json bad = good;
  bad["outcome"] = "maybe";
  EXPECT_THROW(bad.get<Verdict>(), nlohmann::json::exception);
  bad = good;
  bad["findings"][0]["kind"] = "sadness";
  EXPECT_THROW(bad.get<Verdict>(), nlohmann::json::exception);
  bad = good;
  bad["trace_hash"] = "12x";
  EXPECT_THROW(bad.get<Verdict>(), nlohmann::json::exception);
}

}  // namespace
}  // namespace rankle
