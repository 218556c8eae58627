// The findings of a campaign: a folder for each, with the repro file before and after minimising,
// the explanation, what was printed, and how often it was seen. A finding whose bug has gone is
// moved away, never deleted.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "campaign/finding_store.h"
#include "campaign/layout.h"

namespace rankle {

// A finding that lies in the directory.
struct KeptFinding {
  FindingLayout layout;
  Repro repro;
};

class CampaignStore : public FindingStore {
 public:
  // `explain` makes the text of explanation.txt.
  CampaignStore(CampaignLayout layout, std::function<std::string(const Repro&)> explain);

  void save(Found& found) override;
  void settled(Found& found) override;
  void reported(const Found& found) override;
  bool must_hold() const override { return true; }

  // False for a finding that a kill kept from being told.
  bool was_reported(const std::string& signature);

  // In the order of their names. What cannot be read is left alone and named in `unreadable`.
  static std::vector<KeptFinding> list(const std::filesystem::path& folder,
                                       std::vector<std::string>& unreadable);

  // Moves a finding's folder into `folder`, as "STEM-2" if the name is taken there. Throws
  // std::system_error.
  static FindingLayout move(const FindingLayout& finding, const std::filesystem::path& folder);

  // Counts that a signature was seen again at `seconds`; `write_counts` puts it into found.json.
  void seen(const std::string& signature, double seconds);
  void write_counts();

 private:
  struct Count {
    FindingLayout layout;
    std::string kind, target;
    double first_s = 0;
    std::uint64_t first_cases = 0;
    std::uint64_t times = 1;
    double last_s = 0;
    bool is_reported = false;
    bool has_changed = false;
  };

  void create(Found& found);
  void write_texts(const FindingLayout& finding, const Repro& repro) const;
  static void write_count(const std::string& signature, const Count& count);
  void adopt_counts(const std::filesystem::path& folder);

  CampaignLayout layout_;
  std::function<std::string(const Repro&)> explain_;
  std::mutex mutex_;
  std::map<std::string, Count> counts_;  // by signature
  // Of signatures that no folder has been made for yet: it takes a job milliseconds to make one.
  std::map<std::string, std::uint64_t> early_;
};

}  // namespace rankle
