// `rankle replay PATH... --iterations N --modes eager,graph`: every case many times over, each time
// with another input, one line for each case and mode. For the corpus, and for a shape of one's
// own.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/options.h"
#include "harness/executor.h"
#include "repro/repeat.h"

namespace rankle::cli {

// A file's case, and how its runs are judged: a repro file says, a corpus file leaves the defaults.
struct FileCase {
  std::string file;
  Case c;
  RunOptions options;
};

// Repro files and bare cases; of a folder every *.json file below it, in the order of their paths.
// Throws UsageError that names the file and the JSON path.
std::vector<FileCase> read_cases(const std::vector<std::string>& paths);

class RepeatCases {
 public:
  static RepeatCases declare(OptionSet& options);

  // Whether iterations are asked for. Throws UsageError if only what goes with them is given.
  bool given() const;

  // `adjust` changes the options of a run as the command line says. Throws UsageError for a case
  // that its target does not take, unless --target sent it there: then it is passed over.
  int run(const std::vector<FileCase>& cases, Executor& executor,
          const std::function<void(RunOptions&)>& adjust, Console& console,
          const Surroundings& surroundings) const;

 private:
  struct Result;

  std::vector<RepeatMode> modes() const;
  Result repeat_one(const FileCase& from, RepeatMode mode, Executor& executor,
                    const std::function<void(RunOptions&)>& adjust) const;
  static void print(const FileCase& from, RepeatMode mode, const Result& result, Console& console);

  const TextOption* iterations_ = nullptr;
  const TextOption* modes_ = nullptr;
  const TextOption* target_ = nullptr;
};

}  // namespace rankle::cli
