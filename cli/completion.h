// Scripts with which a shell completes command lines of `rankle`, made from the very tables that
// parse them, so that they cannot lag behind.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace rankle::cli {

struct CompletedOption {
  std::string name;  // "--world"
  std::string help;  // its first line
  bool takes_value = true;
};

struct CompletedCommand {
  std::string name;
  std::string help;
  std::vector<CompletedOption> options;  // sorted by name
  bool takes_files = false;              // positional arguments are files
  std::vector<std::string> words;        // or one of these
};

// Of the root's subcommands, in their order.
std::vector<CompletedCommand> completed_commands(const CLI::App& root);

// What the value of an option can be. Empty: files and folders.
struct CompletedValues {
  bool known = false;               // else nothing is offered
  bool targets = false;             // names of targets, asked from `rankle list`
  std::vector<std::string> values;  // otherwise
};
CompletedValues values_of(std::string_view option);

std::string bash_completion(const std::vector<CompletedCommand>& commands);
std::string zsh_completion(const std::vector<CompletedCommand>& commands);

}  // namespace rankle::cli
