// The tables behind names.h.
#include "generators/names.h"

#include "generators/name_table.h"
#include "generators/programs.h"

namespace rankle {
namespace {

using detail::NameTable;

constexpr NameTable<Inputs, 3> kInputs{{Inputs::exact_integers, Inputs::rounding, Inputs::special},
                                       {"exact-integers", "rounding", "special"}};
constexpr NameTable<StepKind, 21> kStepKinds{
    {StepKind::fill,
     StepKind::poison_output,
     StepKind::poison_scratch,
     StepKind::call,
     StepKind::sync,
     StepKind::check,
     StepKind::overwrite,
     StepKind::capture,
     StepKind::end_capture,
     StepKind::replay,
     StepKind::destroy_graph,
     StepKind::register_buffer,
     StepKind::deregister_buffer,
     StepKind::reallocate,
     StepKind::delay,
     StepKind::stream,
     StepKind::fork,
     StepKind::join,
     StepKind::reconnect,
     StepKind::seed_epochs,
     StepKind::warm_up},
    {"fill",       "poison-output", "poison-scratch", "call",   "sync",          "check",
     "overwrite",  "capture",       "end-capture",    "replay", "destroy-graph", "register",
     "deregister", "reallocate",    "delay",          "stream", "fork",          "join",
     "reconnect",  "seed-epochs",   "warm-up"}};
constexpr NameTable<Policy, 7> kPolicies{
    {Policy::run_to_block, Policy::round_robin, Policy::random, Policy::pct, Policy::starvation,
     Policy::rank_late, Policy::rank_early},
    {"run-to-block", "round-robin", "random", "pct", "starvation", "rank-late", "rank-early"}};
constexpr NameTable<Granularity, 2> kGranularities{{Granularity::sync, Granularity::access},
                                                   {"sync", "access"}};
constexpr NameTable<BarrierModel, 2> kBarrierModels{{BarrierModel::amd, BarrierModel::nvidia},
                                                    {"amd", "nvidia"}};
constexpr NameTable<Programs, 3> kPrograms{{Programs::none, Programs::mixed, Programs::only},
                                           {"none", "mixed", "only"}};

}  // namespace

std::string_view name_of(Inputs inputs) { return kInputs.name(inputs); }
std::string_view name_of(StepKind kind) { return kStepKinds.name(kind); }
std::string_view name_of(Policy policy) { return kPolicies.name(policy); }
std::string_view name_of(Granularity granularity) { return kGranularities.name(granularity); }
std::string_view name_of(BarrierModel model) { return kBarrierModels.name(model); }
std::string_view name_of(Programs programs) { return kPrograms.name(programs); }

std::optional<Inputs> inputs_from(std::string_view name) { return kInputs.from(name); }
std::optional<StepKind> step_kind_from(std::string_view name) { return kStepKinds.from(name); }
std::optional<Policy> policy_from(std::string_view name) { return kPolicies.from(name); }
std::optional<Granularity> granularity_from(std::string_view name) {
  return kGranularities.from(name);
}
std::optional<BarrierModel> barrier_model_from(std::string_view name) {
  return kBarrierModels.from(name);
}
std::optional<Programs> programs_from(std::string_view name) { return kPrograms.from(name); }

std::span<const Inputs> all_inputs() { return kInputs.values; }
std::span<const StepKind> all_step_kinds() { return kStepKinds.values; }
std::span<const Policy> all_policies() { return kPolicies.values; }
std::span<const Granularity> all_granularities() { return kGranularities.values; }
std::span<const BarrierModel> all_barrier_models() { return kBarrierModels.values; }
std::span<const Programs> all_programs() { return kPrograms.values; }

}  // namespace rankle
