// Ctrl-C and SIGTERM as a flag that loops poll, so that the best case so far is kept and a summary
// printed. A second signal ends the process at once.
#pragma once

namespace rankle::cli {

// Installs the handlers. Call once, from main.
void catch_interrupts();

// True after the first SIGINT or SIGTERM.
bool interrupted();

}  // namespace rankle::cli
