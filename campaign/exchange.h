// Texts between the processes of one campaign: all a campaign needs of MPI, so that its rules can
// be tested without. Used from one thread.
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace rankle {

struct Letter {
  int from = 0;
  std::string text;
};

class Exchange {
 public:
  virtual ~Exchange() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // Returns at once; letters from one rank to another keep their order.
  virtual void send(int to, std::string text) = 0;
  virtual std::optional<Letter> receive() = 0;
  // Says goodbye; waits for the others unless `is_broken`, which ends them all.
  virtual void finish(bool is_broken) = 0;
};

// nullptr unless mpirun or srun started this process with others (campaign/mpi/mpi_exchange.cpp);
// nothing of MPI runs then. Throws EnvironmentError.
std::unique_ptr<Exchange> join_exchange();

}  // namespace rankle
