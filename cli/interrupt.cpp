// See interrupt.h.
#include "cli/interrupt.h"

#include <csignal>

namespace rankle::cli {
namespace {

volatile std::sig_atomic_t signal_seen = 0;

extern "C" void note_signal(int) { signal_seen = 1; }

}  // namespace

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = note_signal;
  sigemptyset(&action.sa_mask);
  // SA_RESETHAND gives the second signal its default action. SA_RESTART keeps the pipe to the
  // worker whole: a half-read verdict would look like a crash of the target.
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // A file that may not grow is a full disk: an error of write, not the end of the process.
  std::signal(SIGXFSZ, SIG_IGN);
}

bool interrupted() { return signal_seen != 0; }

}  // namespace rankle::cli
