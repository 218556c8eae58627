// The names of a Case's enumerators, as files and options spell them ("run-to-block"). One table
// per enumeration, so that the reader, the writer and the command line cannot disagree.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "generators/case.h"

namespace rankle {

std::string_view name_of(Inputs inputs);
std::string_view name_of(StepKind kind);
std::string_view name_of(Policy policy);
std::string_view name_of(Granularity granularity);
std::string_view name_of(BarrierModel model);

// nullopt for an unknown name.
std::optional<Inputs> inputs_from(std::string_view name);
std::optional<StepKind> step_kind_from(std::string_view name);
std::optional<Policy> policy_from(std::string_view name);
std::optional<Granularity> granularity_from(std::string_view name);
std::optional<BarrierModel> barrier_model_from(std::string_view name);

std::span<const Inputs> all_inputs();
std::span<const StepKind> all_step_kinds();
std::span<const Policy> all_policies();
std::span<const Granularity> all_granularities();
std::span<const BarrierModel> all_barrier_models();

// "fp32, bf16": the names of `values` in order, for messages that say what is allowed.
template <class Range>
std::string names_of(const Range& values) {
  std::string names;
  for (const auto value : values) {
    if (!names.empty()) names += ", ";
    names += name_of(value);
  }
  return names;
}

}  // namespace rankle
