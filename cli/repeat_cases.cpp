// See repeat_cases.h.
#include "cli/repeat_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "cli/errors.h"
#include "generators/case_json.h"
#include "generators/limits.h"
#include "repro/atomic_file.h"
#include "repro/explain.h"
#include "repro/repro_file.h"

namespace rankle::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kIterationsMax = 1'000'000;
constexpr std::string_view kModes = "eager, graph";

void add_files(const fs::path& path, std::vector<std::string>& files) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    files.push_back(path.string());
    return;
  }
  std::vector<std::string> below;
  for (fs::recursive_directory_iterator it(path, error), end; !error && it != end;
       it.increment(error)) {
    if (it->path().extension() == ".json") below.push_back(it->path().string());
  }
  if (below.empty()) throw UsageError(fmt::format("{}: holds no .json file", path.string()));
  std::sort(below.begin(), below.end());
  files.insert(files.end(), below.begin(), below.end());
}

bool is_repro(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  return json.is_object() && json.contains("case");
}

FileCase read_case_file(const std::string& file) {
  std::string error;
  const auto text = read_small_file(file, kReproBytesMax, error);
  if (!text) throw UsageError(error);
  if (is_repro(*text)) {
    try {
      const Repro repro = repro_from_text(*text, file);
      return {file, repro.failing, repro.options};
    } catch (const ReproError& wrong) {
      throw UsageError(wrong.what());
    }
  }
  std::optional<JsonError> wrong;
  const std::optional<Case> c = case_from_text(*text, wrong);
  if (c) return {file, *c, {}};
  throw UsageError(fmt::format("{}: {}", file, wrong ? wrong->message : "case: is not one"));
}

}  // namespace

std::vector<FileCase> read_cases(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) add_files(path, files);
  std::vector<FileCase> cases;
  cases.reserve(files.size());
  for (const std::string& file : files) cases.push_back(read_case_file(file));
  return cases;
}

struct RepeatCases::Result {
  enum class Outcome { pass, finding, passed_over } outcome = Outcome::pass;
  int iterations = 0;  // made, or until the failing part began
  Case shown;          // of the finding
  Finding finding;
  std::string why;  // it was passed over
  double seconds = 0;
};

RepeatCases RepeatCases::declare(OptionSet& options) {
  RepeatCases repeat;
  repeat.iterations_ = &options.add_without_variable(
      "iterations", "repeat what each case calls N times, with another input each time");
  repeat.modes_ = &options.add_without_variable(
      "modes", "with --iterations: eager calls, replays of graphs, or both (the default)");
  repeat.target_ = &options.add_without_variable(
      "target", "with --iterations: on this target instead of the file's, where it takes the case");
  return repeat;
}

bool RepeatCases::given() const {
  if (iterations_->given()) return true;
  for (const TextOption* option : {modes_, target_}) {
    if (option->given()) option->refuse("is not allowed without --iterations");
  }
  return false;
}

std::vector<RepeatMode> RepeatCases::modes() const {
  if (!modes_->given()) return {RepeatMode::eager, RepeatMode::graph};
  std::vector<RepeatMode> modes;
  for (const std::string& name : modes_->list(kModes)) {
    const auto mode = repeat_mode_from(name);
    if (!mode) modes_->refuse(fmt::format("has '{}'; allowed: {}", name, kModes));
    modes.push_back(*mode);
  }
  return modes;
}

int RepeatCases::run(const std::vector<FileCase>& cases, Executor& executor,
                     const std::function<void(RunOptions&)>& adjust, Console& console,
                     const Surroundings& surroundings) const {
  int failed = 0;
  int passed = 0;
  int passed_over = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (const FileCase& from : cases) {
    for (const RepeatMode mode : modes()) {
      if (surroundings.interrupted && surroundings.interrupted()) continue;
      const Result result = repeat_one(from, mode, executor, adjust);
      print(from, mode, result, console);
      failed += result.outcome == Result::Outcome::finding ? 1 : 0;
      passed += result.outcome == Result::Outcome::pass ? 1 : 0;
      passed_over += result.outcome == Result::Outcome::passed_over ? 1 : 0;
    }
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  const int code = failed > 0 ? kExitFinding : kExitClean;
  console.note(fmt::format("{} passed, {} failed{}", passed, failed,
                           passed_over == 0 ? "" : fmt::format(", {} passed over", passed_over)));
  console.event("end", {{"exit", code},
                        {"cases", passed + failed},
                        {"seconds", took.count()},
                        {"cases_per_s", (passed + failed) / std::max(took.count(), 1e-9)},
                        {"passed", passed},
                        {"failed", failed},
                        {"passed_over", passed_over}});
  return code;
}

RepeatCases::Result RepeatCases::repeat_one(const FileCase& from, RepeatMode mode,
                                            Executor& executor,
                                            const std::function<void(RunOptions&)>& adjust) const {
  Case c = from.c;
  const bool is_sent = target_->given() && target_->text() != c.target;
  if (is_sent) {
    c.target = target_->text();
    c.same_bits_as.clear();  // the promise of the file's target
    c.inputs = Inputs::exact_integers;
  }
  Result result;
  const auto begin = std::chrono::steady_clock::now();
  for (const RepeatPart& part :
       repeat(c, mode, int(iterations_->whole_number(1, kIterationsMax)))) {
    RunOptions options = from.options;
    options.deadline_s *= part.iterations;  // which is for a case of a few calls
    adjust(options);
    const Verdict verdict = executor.run(part.c, options);
    if (verdict.outcome == Outcome::environment_error) throw EnvironmentError(verdict.error);
    if (verdict.outcome == Outcome::invalid_case && is_sent) {
      return {Result::Outcome::passed_over, 0, {}, {}, verdict.error, 0};
    }
    if (verdict.outcome == Outcome::invalid_case) {
      throw UsageError(fmt::format("{}: {}", from.file, verdict.error));
    }
    if (!verdict.findings.empty()) {
      result.outcome = Result::Outcome::finding;
      result.shown = part.c;
      result.finding = verdict.findings.front();
      break;
    }
    result.iterations += part.iterations;
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  result.seconds = took.count();
  return result;
}

void RepeatCases::print(const FileCase& from, RepeatMode mode, const Result& result,
                        Console& console) {
  const std::string name = fs::path(from.file).stem().string();
  Json fields = {{"file", from.file}, {"mode", name_of(mode)}, {"iterations", result.iterations}};
  switch (result.outcome) {
    case Result::Outcome::pass:
      console.say(fmt::format("{} {} {} iterations: pass", name, name_of(mode), result.iterations));
      fields["outcome"] = "pass";
      break;
    case Result::Outcome::passed_over:
      console.note(fmt::format("{} {}: passed over, {}", name, name_of(mode), result.why));
      fields["outcome"] = "passed-over";
      break;
    case Result::Outcome::finding:
      console.say(
          fmt::format("{} {} {} iterations, then {}: {}", name, name_of(mode), result.iterations,
                      name_of(result.finding.kind), sentence_of(result.finding)),
          Style::red);
      fields["outcome"] = "finding";
      fields["kind"] = name_of(result.finding.kind);
      fields["signature"] = signature_of(result.finding, result.shown.target);
      fields["message"] = result.finding.message;
      fields["case"] = case_to_json(result.shown);
      break;
  }
  fields["seconds"] = result.seconds;
  console.event("repeat", fields);
}

}  // namespace rankle::cli
