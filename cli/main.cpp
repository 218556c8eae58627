// `rankle`: links no device; cases run in workers (worker.h).
#include <cstdio>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/worker.h"

int main(int argc, char** argv) {
  rankle::cli::catch_interrupts();
  const rankle::cli::Surroundings surroundings{rankle::cli::make_worker_executor,
                                               rankle::cli::interrupted};
  return rankle::cli::run_command_line(argc, argv, surroundings, stdout, stderr);
}
