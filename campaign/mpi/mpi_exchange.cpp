// Exchange over MPI (Open MPI, or whatever srun brings). MPI is initialised only where a launcher
// has started this process as one of several, so that plain runs pay nothing; and used from one
// thread, without waiting: a rank that polls costs no core.
#include <mpi.h>

#include <array>
#include <cstdlib>
#include <deque>
#include <string>
#include <utility>

#include "campaign/exchange.h"
#include "harness/executor.h"

namespace rankle {
namespace {

constexpr int kTag = 7;

// What launchers say: Open MPI, PMI and PMI2 (MPICH, srun), PMIx by way of srun.
bool is_one_of_several() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"}) {
    const char* text = std::getenv(name);
    if (text != nullptr && std::atoi(text) > 1) {
      // SLURM_NTASKS is also set in a batch script, where nobody is anybody's peer.
      const bool is_step = std::string(name) != "SLURM_NTASKS" ||
                           std::getenv("PMIX_RANK") != nullptr ||
                           std::getenv("PMI_RANK") != nullptr;
      if (is_step) return true;
    }
  }
  return false;
}

class MpiExchange : public Exchange {
 public:
  MpiExchange() {
    int provided = 0;
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) {
      throw EnvironmentError("MPI does not start; without mpirun or srun it is not needed");
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  ~MpiExchange() override {
    // After an exception: the others would wait for ever.
    if (!is_finished_) MPI_Abort(MPI_COMM_WORLD, 4);
  }
  MpiExchange(const MpiExchange&) = delete;
  MpiExchange& operator=(const MpiExchange&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void send(int to, std::string text) override {
    drop_sent();
    pending_.push_back({std::move(text), MPI_REQUEST_NULL});
    Pending& letter = pending_.back();
    MPI_Isend(letter.text.data(), static_cast<int>(letter.text.size()), MPI_CHAR, to, kTag,
              MPI_COMM_WORLD, &letter.request);
  }

  std::optional<Letter> receive() override {
    drop_sent();
    int is_there = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &is_there, &status);
    if (is_there == 0) return std::nullopt;
    int bytes = 0;
    MPI_Get_count(&status, MPI_CHAR, &bytes);
    Letter letter{status.MPI_SOURCE, std::string(static_cast<std::size_t>(bytes), '\0')};
    MPI_Recv(letter.text.data(), bytes, MPI_CHAR, status.MPI_SOURCE, kTag, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    return letter;
  }

  void finish(bool is_broken) override {
    is_finished_ = true;
    if (is_broken) MPI_Abort(MPI_COMM_WORLD, 3);
    for (Pending& letter : pending_) MPI_Wait(&letter.request, MPI_STATUS_IGNORE);
    MPI_Finalize();
  }

 private:
  struct Pending {
    std::string text;
    MPI_Request request;
  };

  void drop_sent() {
    while (!pending_.empty()) {
      int is_done = 0;
      MPI_Test(&pending_.front().request, &is_done, MPI_STATUS_IGNORE);
      if (is_done == 0) return;
      pending_.pop_front();
    }
  }

  int rank_ = 0;
  int size_ = 1;
  bool is_finished_ = false;
  std::deque<Pending> pending_;  // a deque: buffers must not move while MPI reads them
};

}  // namespace

std::unique_ptr<Exchange> join_exchange() {
  if (!is_one_of_several()) return nullptr;
  return std::make_unique<MpiExchange>();
}

}  // namespace rankle
