// See junit_report.h.
#include "campaign/ci/junit_report.h"

#include <fmt/format.h>

#include <string_view>

namespace rankle {
namespace {

// What XML 1.0 cannot hold at all (control characters, broken UTF-8) becomes "?".
std::string xml(std::string_view text) {
  std::string result;
  // Bytes that may continue a sequence of UTF-8 are checked by length only where it matters: a
  // reader refuses the whole file for one bad byte.
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t length = byte < 0x80 ? 1 : byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;
    bool is_whole = byte < 0x80 || (byte >= 0xC2 && byte <= 0xF4 && i + length <= text.size());
    for (std::size_t k = 1; is_whole && k < length; ++k) {
      is_whole = (static_cast<unsigned char>(text[i + k]) & 0xC0U) == 0x80U;
    }
    if (!is_whole) {
      result += '?';
      ++i;
      continue;
    }
    if (length > 1) {
      result += text.substr(i, length);
    } else if (byte == '&') {
      result += "&amp;";
    } else if (byte == '<') {
      result += "&lt;";
    } else if (byte == '>') {
      result += "&gt;";
    } else if (byte == '"') {
      result += "&quot;";
    } else if (byte == '\n' || byte == '\t') {
      // In an attribute a bare line break is read as a space.
      result += byte == '\n' ? "&#10;" : "&#9;";
    } else {
      result += byte < 0x20 || byte == 0x7F ? '?' : text[i];
    }
    i += length;
  }
  return result;
}

std::string element_of(const RunTest& test) {
  std::string inside;
  switch (test.state) {
    case RunTest::State::passed:
      break;
    case RunTest::State::failed:
      inside = fmt::format("      <failure type=\"{}\" message=\"{}\">{}</failure>\n",
                           xml(test.kind), xml(test.message), xml(test.text));
      break;
    case RunTest::State::error:
      inside = fmt::format("      <error type=\"error\" message=\"{}\">{}</error>\n",
                           xml(test.message), xml(test.text));
      break;
    case RunTest::State::skipped:
      inside = fmt::format("      <skipped message=\"{}\"/>\n", xml(test.message));
      break;
  }
  if (test.cases > 0) {
    inside += fmt::format("      <system-out>{} {}</system-out>\n", test.cases,
                          test.cases == 1 ? "case" : "cases");
  }
  return fmt::format(
      "    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\">\n{}    </testcase>\n",
      xml(test.suite), xml(test.name), test.seconds, inside);
}

struct Counts {
  int tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;

  void add(const RunTest& test) {
    ++tests;
    failures += test.state == RunTest::State::failed ? 1 : 0;
    errors += test.state == RunTest::State::error ? 1 : 0;
    skipped += test.state == RunTest::State::skipped ? 1 : 0;
    seconds += test.seconds;
  }
};

}  // namespace

std::string junit_report(const RunRecord& record) {
  std::vector<std::string> suites;
  for (const RunTest& test : record.tests) {
    bool known = false;
    for (const std::string& suite : suites) known |= suite == test.suite;
    if (!known) suites.push_back(test.suite);
  }
  Counts all;
  std::string body;
  for (const std::string& suite : suites) {
    Counts counts;
    std::string tests;
    for (const RunTest& test : record.tests) {
      if (test.suite != suite) continue;
      counts.add(test);
      all.add(test);
      tests += element_of(test);
    }
    // Without a zone, as the form wants it; the time is UTC.
    std::string started = utc_text(record.started);
    started.pop_back();
    body += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" "
        "time=\"{:.3f}\" timestamp=\"{}\">\n"
        "    <properties>\n"
        "      <property name=\"version\" value=\"{}\"/>\n"
        "      <property name=\"commit\" value=\"{}\"/>\n"
        "      <property name=\"platform\" value=\"{}\"/>\n"
        "      <property name=\"seed\" value=\"{}\"/>\n"
        "      <property name=\"command\" value=\"{}\"/>\n"
        "    </properties>\n{}  </testsuite>\n",
        xml(suite), counts.tests, counts.failures, counts.errors, counts.skipped, counts.seconds,
        started, xml(record.version), xml(record.commit), xml(record.platform), record.seed,
        xml(record.command), tests);
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"rankle\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" "
      "time=\"{:.3f}\">\n{}</testsuites>\n",
      all.tests, all.failures, all.errors, all.skipped, record.seconds, body);
}

}  // namespace rankle
