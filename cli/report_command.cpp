// `rankle report DIR`: a campaign directory as one HTML file. Needs no worker and no device.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <system_error>

#include "campaign/report/report_data.h"
#include "campaign/report/report_page.h"
#include "cli/build_info.h"
#include "cli/command.h"
#include "cli/errors.h"
#include "cli/events.h"
#include "cli/source_roots.h"
#include "repro/atomic_file.h"

namespace rankle::cli {
namespace {

class ReportCommand : public Command {
 public:
  std::string name() const override { return "report"; }
  std::string summary() const override { return "a campaign directory as one HTML file"; }
  std::string examples() const override {
    return "Examples:\n"
           "  rankle report soak                       writes soak/report.html\n"
           "  rankle report soak --out /tmp/soak.html  writes elsewhere\n"
           "The file needs no network. Write it again at any time, also while the campaign runs.";
  }

  void declare(CLI::App& app, OptionSet& options) override {
    app.add_option("DIR", folder_, "campaign directory, as `rankle stress --dir` makes it")
        ->required();
    out_ = &options.add("out", "file to write; default: DIR/report.html");
    source_ = &options.add("source", "folder in which the kernels' sources lie; default: found");
  }

  int run(Console& console, const Surroundings&) override {
    const auto started = std::chrono::steady_clock::now();
    console.event("start", start_fields("report", std::string(default_platform())));
    const Json data = read();
    const std::filesystem::path file = out_->given()
                                           ? std::filesystem::path(out_->text())
                                           : std::filesystem::path(folder_) / "report.html";
    write(file, report_page(data));
    const Json& headline = data["headline"];
    console.note(fmt::format("{}: {} findings open, {} flaky, {} fixed{}", file.string(),
                             headline["open"].dump(), headline["flaky"].dump(),
                             headline["fixed"].dump(),
                             report_has_charts() ? "" : "; tables alone, built without npm"));
    for (const Json& problem : data["problems"]) console.note(problem.get<std::string>());
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
    console.event("end", {{"exit", kExitClean},
                          {"cases", 0},
                          {"seconds", took.count()},
                          {"cases_per_s", 0.0},
                          {"report", file.string()},
                          {"charts", report_has_charts()},
                          {"headline", headline},
                          {"problems", data["problems"]}});
    return kExitClean;
  }

 private:
  Json read() const {
    ReportSource source;
    source.folder = folder_;
    source.source_roots = [this](const std::string& target) {
      return source_roots(source_->text(), target);
    };
    source.rankle = fmt::format("rankle {} ({})", version(), commit());
    source.written_at = fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(std::time(nullptr)));
    try {
      return report_data(source);
    } catch (const ReportDirError& error) {
      throw UsageError(error.what());
    }
  }

  static void write(const std::filesystem::path& file, const std::string& page) {
    try {
      replace_file(file, page);
    } catch (const std::system_error& error) {
      throw EnvironmentError(fmt::format("--out: {}", error.what()));
    }
  }

  std::string folder_;
  const TextOption* out_ = nullptr;
  const TextOption* source_ = nullptr;
};

}  // namespace

std::unique_ptr<Command> make_report_command() { return std::make_unique<ReportCommand>(); }

}  // namespace rankle::cli
