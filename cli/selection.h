// From --target, --world and --dtype to the contracts that cases are drawn from. A value that
// nothing can satisfy is the user's mistake and is refused with what is allowed, before anything
// runs.
#pragma once

#include <string>
#include <vector>

#include "cli/options.h"
#include "generators/contract.h"
#include "generators/generate.h"
#include "repro/repro_file.h"

namespace rankle::cli {

struct SelectionOptions {
  const TextOption* target = nullptr;
  const TextOption* world = nullptr;
  const TextOption* dtype = nullptr;

  static SelectionOptions declare(OptionSet& options);
};

// What was asked for, with its texts parsed. Throws UsageError.
Selection parse_selection(const SelectionOptions& options);

// The same as restrictions on what is drawn.
Draw draw_of(const Selection& selection);

// The contracts of the targets that match and take some of the worlds and dtypes asked for. If
// there are none, or if one of the worlds or dtypes is taken by no target that matches, throws
// UsageError. `all` is sorted by name; so is the result.
std::vector<Contract> select(const std::vector<Contract>& all, const Selection& selection,
                             const SelectionOptions& options);

}  // namespace rankle::cli
