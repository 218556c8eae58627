// worker_platform.h on the simulator.
#include "harness/worker_platform.h"
#include "sim/where.h"

namespace rankle::worker_platform {
namespace {

Actor where_on_simulator() noexcept {
  const sim::Where where = sim::where_running();
  return {where.rank, where.block, where.thread};
}

bool source_on_simulator(std::uintptr_t pc, Site& site) {
  sim::SourceLine line;
  if (!sim::source_of(pc, line)) return false;
  site = {line.function, line.file, line.line};
  return true;
}

}  // namespace

std::string name() { return "sim"; }
void prepare(char** /*argv*/) {}
std::string why_unavailable() { return ""; }
std::vector<std::string> devices() { return {}; }
CrashProbe probe() { return {where_on_simulator, source_on_simulator}; }
bool limits_cpu() { return true; }

}  // namespace rankle::worker_platform
