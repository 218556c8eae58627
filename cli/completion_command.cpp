// `rankle completion SHELL`: prints a script that completes command lines, from the option tables.
#include <CLI/App.hpp>

#include "cli/command.h"
#include "cli/completion.h"
#include "cli/errors.h"
#include "cli/events.h"

namespace rankle::cli {
namespace {

class CompletionCommand : public Command {
 public:
  std::string name() const override { return "completion"; }
  std::string summary() const override { return "a script with which bash or zsh completes"; }
  std::string examples() const override {
    return "Examples:\n"
           "  source <(rankle completion bash)                in this shell\n"
           "  rankle completion zsh > ~/.zfunc/_rankle        for zsh, in a folder of $fpath\n"
           "`cmake --install` puts both where shells look.";
  }

  void declare(CLI::App& app, OptionSet&) override {
    root_ = app.get_parent();
    app.add_option("SHELL", shell_, "bash or zsh")->required();
  }

  int run(Console& console, const Surroundings&) override {
    if (shell_ != "bash" && shell_ != "zsh") {
      throw UsageError("SHELL: '" + shell_ + "' is not allowed; bash or zsh is");
    }
    const std::vector<CompletedCommand> commands = completed_commands(*root_);
    std::string script = shell_ == "bash" ? bash_completion(commands) : zsh_completion(commands);
    script.pop_back();  // the line's end is the console's
    console.say(script);
    console.event("end", {{"exit", kExitClean},
                          {"cases", 0},
                          {"seconds", 0.0},
                          {"cases_per_s", 0.0},
                          {"script", script}});
    return kExitClean;
  }

 private:
  const CLI::App* root_ = nullptr;
  std::string shell_;
};

}  // namespace

std::unique_ptr<Command> make_completion_command() { return std::make_unique<CompletionCommand>(); }

}  // namespace rankle::cli
