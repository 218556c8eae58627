// See completion.h.
#include "cli/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "generators/dtype.h"
#include "generators/programs.h"
#include "harness/run_options.h"

namespace rankle::cli {
namespace {

template <typename Values>
CompletedValues named(const Values& all) {
  CompletedValues result{true, false, {}};
  for (const auto& value : all) result.values.emplace_back(name_of(value));
  return result;
}

// For single quotes in a shell.
std::string shell_text(std::string_view text) {
  std::string result;
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result;
}

// A description in zsh's _arguments ends at a bracket, and a colon begins the next field.
std::string zsh_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
    result += c;
  }
  return shell_text(result);
}

std::string zsh_action(const CompletedOption& option) {
  const CompletedValues values = values_of(option.name);
  if (!values.known) return " ";
  if (values.targets) return "_rankle_targets";
  if (values.values.empty()) return "_files";
  return fmt::format("({})", fmt::join(values.values, " "));
}

constexpr std::string_view kListTargets =
    R"sh(rankle list --json 2>/dev/null |
    sed -n 's/.*"event":"target","name":"\([^"]*\)".*/\1/p')sh";

}  // namespace

std::vector<CompletedCommand> completed_commands(const CLI::App& root) {
  std::vector<CompletedCommand> commands;
  const auto everything = [](const CLI::App*) { return true; };
  for (const CLI::App* app : root.get_subcommands(everything)) {
    CompletedCommand command{app->get_name(), app->get_description(), {}, false, {}};
    for (const CLI::Option* option : app->get_options()) {
      if (option->get_lnames().empty()) {
        if (option->get_name() == "SHELL") {
          command.words = {"bash", "zsh"};
        } else {
          command.takes_files = true;
        }
        continue;
      }
      const std::string help = option->get_description();
      command.options.push_back({"--" + option->get_lnames().front(),
                                 help.substr(0, help.find('\n')),
                                 option->get_expected_max() > 0 && option->get_type_size() > 0});
    }
    std::ranges::sort(command.options, {}, &CompletedOption::name);
    commands.push_back(std::move(command));
  }
  return commands;
}

CompletedValues values_of(std::string_view option) {
  static const std::set<std::string_view> kPaths = {"--out",   "--dir",   "--source", "--corpus",
                                                    "--junit", "--sarif", "--plugin"};
  if (kPaths.contains(option)) return {true, false, {}};
  if (option == "--target") return {true, true, {}};
  if (option == "--platform") return {true, false, {"sim", "amd", "nvidia"}};
  if (option == "--dtype") return named(all_dtypes());
  if (option == "--programs") return named(all_programs());
  if (option == "--volatile") return named(all_volatile_models());
  if (option == "--modes") return {true, false, {"eager", "graph"}};
  if (option == "--relaxed-handoff" || option == "--wave-synchronous") {
    return named(all_severities());
  }
  return {};
}

std::string bash_completion(const std::vector<CompletedCommand>& commands) {
  std::string names;
  std::string options;
  std::set<std::string> with_value;
  for (const CompletedCommand& command : commands) {
    names += (names.empty() ? "" : " ") + command.name;
    std::string list;
    for (const CompletedOption& option : command.options) {
      list += (list.empty() ? "" : " ") + option.name;
      if (option.takes_value) with_value.insert(option.name);
    }
    options += fmt::format("    {}) options='{}' words='{}' files={} ;;\n", command.name, list,
                           fmt::join(command.words, " "), command.takes_files ? 1 : 0);
  }
  std::string values;
  std::set<std::string> silent;
  for (const std::string& option : with_value) {
    const CompletedValues known = values_of(option);
    if (!known.known) {
      silent.insert(option);
    } else if (known.targets) {
      values += fmt::format("    {}) COMPREPLY=($(compgen -W \"$({})\" -- \"$word\")); return ;;\n",
                            option, kListTargets);
    } else if (known.values.empty()) {
      values += fmt::format("    {}) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n", option);
    } else {
      values += fmt::format("    {}) COMPREPLY=($(compgen -W '{}' -- \"$word\")); return ;;\n",
                            option, fmt::join(known.values, " "));
    }
  }
  return fmt::format(
      "# Completion of rankle for bash: `rankle completion bash`. For one shell:\n"
      "#   source <(rankle completion bash)\n"
      "_rankle() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}\n"
      "  local options='' words='' files=0\n"
      "  COMPREPLY=()\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    COMPREPLY=($(compgen -W '{} --help --version' -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"$before\" in\n{}    {}) return ;;\n  esac\n"
      "  case \"${{COMP_WORDS[1]}}\" in\n{}    *) return ;;\n  esac\n"
      "  if [[ $word == -* || $files == 0 ]]; then\n"
      "    [[ $word == -* || -z $words ]] || options=$words\n"
      "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
      "  else\n"
      "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
      "  fi\n"
      "}}\n"
      "complete -o filenames -F _rankle rankle\n",
      names, values, silent.empty() ? "--" : fmt::format("{}", fmt::join(silent, "|")), options);
}

std::string zsh_completion(const std::vector<CompletedCommand>& commands) {
  std::string names;
  std::string cases;
  for (const CompletedCommand& command : commands) {
    names += fmt::format("    '{}:{}'\n", command.name, zsh_text(command.help));
    std::string specs;
    for (const CompletedOption& option : command.options) {
      // An option may be given again: the last one wins.
      specs += fmt::format(" \\\n        '*{}[{}]", option.name, zsh_text(option.help));
      specs += option.takes_value ? fmt::format(":value:{}'", zsh_action(option)) : "'";
    }
    if (command.takes_files) specs += " \\\n        '*:file:_files'";
    if (!command.words.empty()) {
      specs += fmt::format(" \\\n        '1:word:({})'", fmt::join(command.words, " "));
    }
    cases += fmt::format("    {})\n      _arguments{}\n      ;;\n", command.name, specs);
  }
  return fmt::format(
      "#compdef rankle\n"
      "# Completion of rankle for zsh: `rankle completion zsh`, in a folder of $fpath as _rankle.\n"
      "_rankle_targets() {{\n"
      "  local -a targets\n"
      "  targets=(${{(f)\"$({})\"}})\n"
      "  compadd -a targets\n"
      "}}\n"
      "_rankle() {{\n"
      "  local -a commands\n"
      "  commands=(\n{}  )\n"
      "  if ((CURRENT == 2)); then\n"
      "    _describe -t commands 'command' commands\n"
      "    return\n"
      "  fi\n"
      "  local command=$words[2]\n"
      "  shift words\n"
      "  ((CURRENT--))\n"
      "  case $command in\n{}  esac\n"
      "}}\n"
      "if [[ $funcstack[1] == _rankle ]]; then _rankle \"$@\"; else compdef _rankle rankle; fi\n",
      kListTargets, names, cases);
}

}  // namespace rankle::cli
