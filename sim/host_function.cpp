// Running host functions (host_function.h).
#include "sim/host_function.h"

#include "sim/hip_call.h"
#include "sim/race_feed.h"

namespace rankle::sim {
namespace {

const Op* g_running = nullptr;

}  // namespace

const Op* running_host_function() { return g_running; }

void run_host_function(const Op& op) {
  g_running = &op;
  g_hot.actor = op.race.op == nullptr ? nullptr : g_races->op_actor(op.race.op);
  op.function(op.argument);
  g_hot.actor = nullptr;
  g_running = nullptr;
}

hipError_t refuse_call() {
  const Op* const op = running_host_function();
  if (op == nullptr) return hipErrorNotInitialized;
  Engine::instance().report(
      ReportKind::api_error,
      "a host function calls HIP, which may wait for ever for the stream that "
      "waits for the function",
      {{op->site, current_id()}});
  return hipErrorNotSupported;
}

}  // namespace rankle::sim
