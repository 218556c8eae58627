// What tests of cases and of programs both do with a case: draw programs only, shrink a case that
// fails, send it through JSON.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "generators/case_json.h"
#include "generators/complexity.h"
#include "generators/generate.h"
#include "generators/shrink.h"

namespace rankle::test {

inline Draw only_programs() {
  Draw draw;
  draw.programs = Programs::only;
  return draw;
}

// Greedy descent: the first candidate that still fails, until none does. Counts the candidates run.
inline Case minimised(Case c, const Contract& contract,
                      const std::function<bool(const Case&)>& fails, int* runs = nullptr) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (Case& candidate : smaller_cases(c, contract)) {
      if (runs != nullptr) ++*runs;
      if (!fails(candidate)) continue;
      c = std::move(candidate);
      smaller = true;
      break;
    }
  }
  return c;
}

// What validate() says; "" for a case that may run.
inline std::string refusal_of(const Case& c, const Contract& contract) {
  const auto violation = validate(c, contract);
  return violation ? violation->message : "";
}

inline void expect_valid_less_and_new(const std::vector<Case>& candidates, const Case& from,
                                      const Contract& contract) {
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    ASSERT_EQ(refusal_of(candidates[i], contract), "");
    ASSERT_LT(complexity(candidates[i]), complexity(from)) << case_to_text(candidates[i]);
    for (std::size_t j = 0; j < i; ++j) ASSERT_NE(candidates[i], candidates[j]);
  }
}

// Inside a RapidCheck property: the text reads as the same case, and is written the same again.
inline void round_trips_through_json(const Case& c) {
  std::optional<JsonError> error;
  const std::string text = case_to_text(c);
  const auto read = case_from_text(text, error);
  RC_ASSERT(!error);
  RC_ASSERT(read == c);
  RC_ASSERT(case_to_text(read.value_or(Case{})) == text);
}

}  // namespace rankle::test
