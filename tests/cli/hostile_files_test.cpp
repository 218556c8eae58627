// Repro files from a stranger can do no harm: they name targets, never paths or commands; sizes are
// capped before anything is allocated; what they say cannot write to a terminal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>

#include "repro/repro_file.h"
#include "tests/cli/command_fixture.h"
#include "tests/repro/sample_repro.h"

namespace rankle::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class Hostile : public test::CommandTest {
 protected:
  void write(const std::string& text) { std::ofstream(file()) << text; }
  std::string file() const { return path("finding.json"); }
  static json good() { return json::parse(to_text(rankle::test::sample_repro())); }

  // Exit 2, one printable sentence, nothing run, nothing written, and no time spent on it.
  // What only a contract forbids does not keep `explain` from explaining.
  void expect_refused(const std::string& why, bool only_by_contract = false) {
    const auto begin = std::chrono::steady_clock::now();
    const std::vector<std::string> before = files_in("");
    for (const std::string command : {"replay", "minimize", "explain"}) {
      if (only_by_contract && command == "explain") continue;
      const test::Printed printed = run({command, file()});
      EXPECT_EQ(printed.code, 2) << command << ": " << why;
      EXPECT_EQ(std::count(printed.err.begin(), printed.err.end(), '\n'), 1) << printed.err;
      for (const char c : printed.err) EXPECT_TRUE(c == '\n' || c >= ' ') << command << ": " << why;
      EXPECT_LT(printed.err.size(), 2000U) << command << ": " << why;
    }
    EXPECT_EQ(files_in(""), before) << why;
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30)) << why;
  }
};

TEST_F(Hostile, TargetIsANameAndNeverAPathOrACommand) {
  for (const char* target : {"../../../etc/passwd", "/bin/sh", "allreduce/x; rm -rf ~", "$(reboot)",
                             "allreduce.two_stage_tail.so", "", "*", "\x1b]0;owned\x07"}) {
    json repro = good();
    repro["target"] = target;
    repro["case"]["target"] = target;
    write(repro.dump());
    const test::Printed printed = run({"replay", file()});
    EXPECT_EQ(printed.code, 2) << target;
    EXPECT_THAT(printed.err, Not(HasSubstr("\x1b"))) << target;
  }
}

TEST_F(Hostile, SizesAreCappedBeforeAnythingIsAllocated) {
  const std::vector<std::pair<const char*, json>> changes = {
      {"/case/shape", {4'000'000'000'000'000'000}},
      {"/case/shape", {-1}},
      {"/case/shape", std::vector<int>(100'000, 1)},
      {"/case/world", 1'000'000'000},
      {"/case/geometry/threads", 1e300},
      {"/case/input_offset", std::vector<int>(1'000'000, 0)},
      {"/case/program", std::vector<json>(100'000, {{"kind", "call"}})},
      {"/case/schedule/switches", std::vector<json>(200'000, {0, 0})},
      {"/options/deadline_s", 1e300},
      {"/finding/sites", std::vector<json>(100'000, json::object())}};
  for (const auto& [where, value] : changes) {
    json repro = good();
    repro[json::json_pointer(where)] = value;
    write(repro.dump());
    expect_refused(where);
  }
  json repro = good();
  repro["case"]["geometry"]["blocks"] = 2'000'000'000;
  write(repro.dump());
  expect_refused("blocks", true);
}

TEST_F(Hostile, ShapeOfTheTextIsCapped) {
  write(std::string(std::size_t{20} << 20, ' '));
  expect_refused("20 MiB");
  write(std::string(200'000, '['));
  expect_refused("deep nesting");
  write(std::string("{\"schema\":1,\"schema\":2}"));
  expect_refused("a key twice");
  write(std::string("\0\0\0\0", 4));
  expect_refused("zero bytes");
  write("\xff\xfe{\"schema\":1}");
  expect_refused("no UTF-8");
}

TEST_F(Hostile, PipeOrDeviceIsNoFile) {
  ASSERT_EQ(mkfifo(file().c_str(), 0600), 0);
  expect_refused("a pipe, which would be waited for");
  std::filesystem::remove(file());
  std::filesystem::create_symlink("/dev/zero", file());
  expect_refused("a device without end");
}

TEST_F(Hostile, TextCannotWriteToATerminal) {
  json repro = good();
  repro["finding"]["message"] = "red \x1b[31m and \x1b]52;c;cm0gLXJm\x07 bell";
  repro["finding"]["details"] = {"\x1b[2Jgone"};
  repro["variants"] = {"\x1b[H"};
  write(repro.dump());
  const test::Printed printed = run({"explain", file()});
  EXPECT_THAT(printed.out + printed.err, Not(HasSubstr("\x1b")));
  EXPECT_THAT(printed.out + printed.err, Not(HasSubstr("\x07")));
}

}  // namespace
}  // namespace rankle::cli
