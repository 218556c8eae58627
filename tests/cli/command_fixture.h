// Runs whole command lines in this process on a scripted executor and keeps what they print.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "tests/repro/scripted_executor.h"

namespace rankle::cli::test {

struct Printed {
  int code = -1;
  std::string out;
  std::string err;

  // The events of --json with this name.
  std::vector<nlohmann::json> events(const std::string& name) const {
    std::vector<nlohmann::json> result;
    std::istringstream lines(out);
    for (std::string line; std::getline(lines, line);) {
      auto event = nlohmann::json::parse(line);
      if (event.at("event") == name) result.push_back(std::move(event));
    }
    return result;
  }
};

class CommandTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "rankle-cli-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    bug_ = rankle::test::tail_bug;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Printed run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "rankle");
    std::vector<const char*> argv;
    for (const std::string& argument : arguments) argv.push_back(argument.c_str());
    Surroundings surroundings;
    surroundings.make_executor = [this](const ExecutorRequest&) -> std::unique_ptr<Executor> {
      if (make_executor_) return make_executor_();
      return std::make_unique<rankle::test::ScriptedExecutor>(bug_);
    };
    surroundings.interrupted = [this] { return interrupted_; };
    std::FILE* out = std::tmpfile();
    std::FILE* err = std::tmpfile();
    Printed printed;
    printed.code =
        run_command_line(static_cast<int>(argv.size()), argv.data(), surroundings, out, err);
    printed.out = text_of(out);
    printed.err = text_of(err);
    return printed;
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  static std::string file_text(const std::filesystem::path& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  std::vector<std::string> files_in(const std::string& name) const {
    std::vector<std::string> files;
    if (!std::filesystem::exists(folder_ / name)) return files;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / name)) {
      files.push_back(entry.path().string());
    }
    std::sort(files.begin(), files.end());
    return files;
  }

  rankle::test::ScriptedExecutor::Bug bug_;
  std::function<std::unique_ptr<Executor>()> make_executor_;  // in place of a scripted one
  bool interrupted_ = false;
  std::filesystem::path folder_;

 private:
  static std::string text_of(std::FILE* stream) {
    std::rewind(stream);
    std::string text;
    char buffer[4096];
    while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, stream)) {
      text.append(buffer, got);
    }
    std::fclose(stream);
    return text;
  }
};

// A variable for the length of a test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { unsetenv(name_); }

 private:
  const char* name_;
};

}  // namespace rankle::cli::test
