// See selection.h.
#include "cli/selection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "cli/errors.h"
#include "cli/glob.h"
#include "generators/limits.h"
#include "generators/names.h"

namespace rankle::cli {
namespace {

constexpr std::size_t kNamesSuggested = 3;

int parse_world(const TextOption& option, const std::string& text) {
  int world = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), world);
  if (error != std::errc() || stop != text.data() + text.size() || world < 1 || world > kRanksMax) {
    option.refuse(
        fmt::format("is not allowed; whole numbers from 1 to {}, such as 2,4,8, are", kRanksMax));
  }
  return world;
}

[[noreturn]] void refuse_target(const std::vector<Contract>& all, const SelectionOptions& options,
                                const std::string& glob) {
  std::vector<std::string> names;
  bool only_mutants = false;
  for (const Contract& contract : all) {
    names.push_back(contract.target);
    only_mutants |= glob_matches(glob, contract.target);
  }
  if (names.empty()) options.target->refuse("matches no target: this platform has none");
  if (only_mutants) {
    options.target->refuse("matches mutants only, and these are left out unless it contains '@'");
  }
  options.target->refuse(fmt::format("matches no target; the closest of {} are {}", names.size(),
                                     fmt::join(closest_names(glob, names, kNamesSuggested), ", ")));
}

// Every world that was asked for must be taken by at least one target; a typo must not pass because
// the other worlds exist.
void check_worlds(const std::vector<Contract>& matched, const Selection& selection,
                  const SelectionOptions& options) {
  std::set<int> allowed;
  for (const Contract& contract : matched) {
    allowed.insert(contract.worlds.begin(), contract.worlds.end());
  }
  for (const int world : selection.worlds) {
    if (allowed.count(world) != 0) continue;
    options.world->refuse(
        fmt::format("asks for {}, which no target that matches '{}' takes; "
                    "allowed: {}",
                    world, selection.target, fmt::join(allowed, ", ")));
  }
}

void check_dtypes(const std::vector<Contract>& matched, const Selection& selection,
                  const SelectionOptions& options) {
  std::set<DType> taken;
  for (const Contract& contract : matched) {
    taken.insert(contract.dtypes.begin(), contract.dtypes.end());
  }
  for (const std::string& name : selection.dtypes) {
    const auto dtype = dtype_from(name);
    if (dtype && taken.count(*dtype) != 0) continue;
    options.dtype->refuse(
        fmt::format("asks for {}, which no target that matches '{}' takes; "
                    "allowed: {}",
                    name, selection.target, names_of(taken)));
  }
}

}  // namespace

SelectionOptions SelectionOptions::declare(OptionSet& options) {
  SelectionOptions result;
  result.target = &options.add(
      "target", "targets by name, * and ? allowed; mutants only if it contains '@'", "*");
  result.world = &options.add("world", "world sizes, such as 2,4,8; default: all of the target's");
  result.dtype =
      &options.add("dtype", "element types, such as bf16,fp32; default: all of the target's");
  return result;
}

Selection parse_selection(const SelectionOptions& options) {
  Selection selection;
  selection.target = options.target->text();
  if (selection.target.empty())
    options.target->refuse("is empty; a glob such as 'allreduce/*' is allowed");
  if (options.world->given()) {
    for (const std::string& text : options.world->list("world sizes such as 2,4,8")) {
      selection.worlds.push_back(parse_world(*options.world, text));
    }
  }
  if (options.dtype->given()) {
    const std::string allowed = names_of(all_dtypes());
    for (const std::string& text : options.dtype->list(allowed)) {
      if (!dtype_from(text)) {
        options.dtype->refuse(
            fmt::format("names no element type ({}); allowed: {}", text, allowed));
      }
      selection.dtypes.push_back(text);
    }
  }
  return selection;
}

Draw draw_of(const Selection& selection) {
  Draw draw;
  draw.worlds = selection.worlds;
  draw.programs = selection.programs;
  draw.weak_memory = selection.weak_memory;
  for (const std::string& name : selection.dtypes) {
    // Unknown names were refused when the options were read.
    if (const auto dtype = dtype_from(name)) draw.dtypes.push_back(*dtype);
  }
  return draw;
}

std::vector<Contract> select(const std::vector<Contract>& all, const Selection& selection,
                             const SelectionOptions& options) {
  std::vector<Contract> matched;
  for (const Contract& contract : all) {
    if (target_glob_matches(selection.target, contract.target)) matched.push_back(contract);
  }
  if (matched.empty()) refuse_target(all, options, selection.target);
  check_worlds(matched, selection, options);
  check_dtypes(matched, selection, options);
  const Draw draw = draw_of(selection);
  std::erase_if(matched, [&](const Contract& contract) { return !admits(contract, draw); });
  if (matched.empty()) {
    options.world->refuse(
        fmt::format("and the dtypes {} go together on no target that matches '{}'",
                    fmt::join(selection.dtypes, ", "), selection.target));
  }
  return matched;
}

}  // namespace rankle::cli
