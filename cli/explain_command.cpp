// `rankle explain FILE`: a finding in words. Needs no worker and no device.
#include <CLI/App.hpp>

#include "cli/command.h"
#include "cli/errors.h"
#include "cli/events.h"
#include "cli/source_roots.h"
#include "repro/explain.h"
#include "repro/repro_file.h"

namespace rankle::cli {
namespace {

class ExplainCommand : public Command {
 public:
  std::string name() const override { return "explain"; }
  std::string summary() const override { return "what a repro file shows, in words"; }
  std::string examples() const override {
    return "Examples:\n  rankle explain rankle-findings/finding.json";
  }

  void declare(CLI::App& app, OptionSet& options) override {
    app.add_option("FILE", file_, "repro file")->required();
    source_ = &options.add("source", "folder in which the kernels' sources lie; default: found");
  }

  int run(Console& console, const Surroundings&) override {
    const Repro repro = read_repro(file_);
    ExplainOptions options;
    options.source_roots = source_roots(source_->text(), repro.failing.target);
    options.file = file_;
    const std::string text = explain(repro, options);
    console.event("start", start_fields("explain", repro.platform));
    Json fields = finding_fields(repro);
    fields["repro"] = file_;
    fields["explanation"] = text;
    console.event("finding", fields);
    console.say(text.substr(0, text.find_last_not_of('\n') + 1));
    console.event("end",
                  {{"exit", kExitClean}, {"cases", 0}, {"seconds", 0.0}, {"cases_per_s", 0.0}});
    return kExitClean;
  }

 private:
  std::string file_;
  const TextOption* source_ = nullptr;
};

}  // namespace

std::unique_ptr<Command> make_explain_command() { return std::make_unique<ExplainCommand>(); }

}  // namespace rankle::cli
