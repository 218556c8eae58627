// See program.h.
#include "generators/program.h"

#include <fmt/format.h>

#include <string>

#include "generators/limits.h"

namespace rankle {

std::optional<Violation> check_program(const std::vector<Step>& program,
                                       const ProgramSetting& setting) {
  if (program.size() > kProgramStepsMax) {
    return Violation{"case.program",
                     fmt::format("case.program: {} steps are not allowed; at most {} are",
                                 program.size(), kProgramStepsMax)};
  }
  ProgramModel model(setting);
  for (std::size_t i = 0; i < program.size(); ++i) {
    if (const auto refused = model.next(program[i])) {
      std::string path = fmt::format("case.program[{}].{}", i, refused->field);
      std::string message = fmt::format("{}: {}", path, refused->message);
      return Violation{std::move(path), std::move(message)};
    }
  }
  const std::string_view missing = model.missing();
  if (missing.empty()) return std::nullopt;
  return Violation{"case.program",
                   fmt::format("case.program: {} steps without a {}; at least one is needed",
                               program.size(), missing)};
}

}  // namespace rankle
