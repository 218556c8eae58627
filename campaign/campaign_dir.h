// The directory of a campaign (layout.h): what it was told and how far it is. One process at a time
// works in it. All files but the event log are replaced as a whole, so that a kill at any moment
// leaves each of them old or new.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "campaign/fuzz_plan.h"
#include "campaign/layout.h"

namespace rankle {

// A directory that cannot be used, in one sentence that names it: the user's mistake.
struct CampaignError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct CampaignConfig {
  std::string version, commit, platform;
  std::uint64_t seed = 0;
  int jobs = 1;  // of all processes together
  Selection selection;
  RunOptions run;
  std::string started;  // UTC, "2026-12-01T09:58:32Z"
  // Options as they were typed, without dashes, so that resuming needs none of them.
  std::map<std::string, std::string> arguments;
};

struct CampaignState {
  FuzzProgress progress;    // at the time of writing
  std::vector<Lane> lanes;  // first: the next case of that worker
};

class CampaignDir {
 public:
  // Makes the directory if it does not exist, and locks it. Throws CampaignError if another process
  // works in it or if it holds something else, std::system_error if it cannot be written.
  explicit CampaignDir(const std::filesystem::path& dir);
  ~CampaignDir();
  CampaignDir(const CampaignDir&) = delete;
  CampaignDir& operator=(const CampaignDir&) = delete;

  const CampaignLayout& layout() const { return layout_; }

  // nullopt: no campaign was started here. Throws CampaignError.
  std::optional<CampaignConfig> config() const;
  void begin(const CampaignConfig& config) const;  // throws std::system_error

  // The newest that is known, from state.json and the positions; nothing if a campaign has only
  // begun. Throws CampaignError.
  CampaignState state(std::uint64_t seed) const;
  void write_state(const CampaignState& state, std::uint64_t seed) const;

 private:
  CampaignLayout layout_;
  int lock_ = -1;
};

// Lanes for `workers` that go on where `state` stopped. As many workers as before each take their
// own stream up again; another number begins after all that has been run, and leaves out the cases
// that the slower workers had not come to.
std::vector<Lane> lanes_after(const CampaignState& state, std::size_t workers);

}  // namespace rankle
