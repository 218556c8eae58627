// What a worker executable knows of its platform beyond running cases: one file per platform
// defines these (sim_worker.cpp, gpu/gpu_worker.cpp), and worker_main.cpp is the same for all.
#pragma once

#include <string>
#include <vector>

#include "harness/crash_guard.h"

namespace rankle::worker_platform {

std::string name();  // "sim"

// First thing in main(). May start the program again, in an environment that the platform needs.
void prepare(char** argv);

// Why nothing can be run here, in one sentence; empty if something can.
std::string why_unavailable();

// "NVIDIA H200 (device 0)"; empty where devices are simulated.
std::vector<std::string> devices();

CrashProbe probe();

// WorkerService::limits_cpu.
bool limits_cpu();

}  // namespace rankle::worker_platform
