// Where findings are kept. A finding is saved before anybody is told of it, again with each smaller
// case, and once more when it is settled; a kill in between loses nothing that was reported.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "repro/minimiser.h"
#include "repro/repro_file.h"

namespace rankle {

struct Found {
  Repro repro;
  std::filesystem::path file;  // empty if it could not be written: `write_error`
  std::string write_error;
  double seconds = 0;  // FuzzProgress when it was found
  std::uint64_t cases = 0;
  bool from_corpus = false;  // or of the stream of cases, at repro.case_index
  Minimised minimised;
};

class FindingStore {
 public:
  virtual ~FindingStore() = default;

  // Writes `found.repro`, to `found.file` if that is set already. A full or read-only disk must not
  // hide the finding, so that is carried along as `found.write_error` and never thrown. Called from
  // several threads, for different findings.
  virtual void save(Found& found) = 0;

  // The same, for the last time.
  virtual void settled(Found& found) { save(found); }

  // Somebody has been told of it.
  virtual void reported(const Found& found) { (void)found; }

  // Whether the run is to end when something cannot be written.
  virtual bool must_hold() const { return false; }
};

// Numbered files in one folder, which is made at the first finding: the --out of `fuzz`.
class FolderStore : public FindingStore {
 public:
  explicit FolderStore(std::filesystem::path folder) : folder_(std::move(folder)) {}
  void save(Found& found) override;

 private:
  std::filesystem::path folder_;
};

}  // namespace rankle
