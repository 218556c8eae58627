// Where each worker is in the stream of cases, in a small file that is mapped into memory: one
// store before each case and one after it, so that a kill -9 of every process costs no more than
// the cases that were running. A power cut can lose what the system had not yet written; then the
// last state.json holds (campaign_state.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace rankle {

// What an earlier process left.
struct OldPositions {
  std::vector<std::uint64_t> next;
  double seconds = 0;
};

class Positions {
 public:
  static constexpr std::size_t kWorkersMax = 4096;

  // A new file for workers that begin at `next`, in place of what was there. Throws
  // std::system_error.
  Positions(const std::filesystem::path& file, std::uint64_t seed,
            const std::vector<std::uint64_t>& next);
  ~Positions();
  Positions(const Positions&) = delete;
  Positions& operator=(const Positions&) = delete;

  // May be called by several threads, each for its own worker.
  void set(std::size_t worker, std::uint64_t next);
  std::vector<std::uint64_t> all() const;
  // How long the campaign has run.
  void set_seconds(double seconds);

  // nullopt: there is no such file, it is of another seed, or it was cut short.
  static std::optional<OldPositions> read(const std::filesystem::path& file, std::uint64_t seed);

 private:
  struct Layout;
  Layout* layout_ = nullptr;
};

}  // namespace rankle
