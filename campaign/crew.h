// Rank 0 of a campaign over several processes: hands out lanes, takes in what the others find and
// how far they are, and shares what is known. A rank that falls silent is given up after a while;
// its case is lost, and nothing else.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "campaign/campaign_run.h"
#include "campaign/exchange.h"
#include "campaign/letters.h"

namespace rankle {

class ExchangeCrew : public Crew {
 public:
  struct Parts {
    Exchange& exchange;
    std::map<std::string, std::string> arguments;  // for the other ranks to adopt
    std::size_t jobs = 1;                          // workers of each rank
    Coverage& coverage;
    std::function<bool()> interrupted;
    double silence_max_s = 60;
  };

  explicit ExchangeCrew(Parts parts);

  void begin(FuzzPlan& plan, const std::vector<Lane>& lanes, FindingStore& store) override;
  void tick(FuzzLoop& loop, Positions& positions) override;
  void end(FuzzLoop& loop, Positions& positions, FuzzEnd why) override;

  bool has_begun() const { return store_ != nullptr; }
  // Whether a rank was given up, so that nobody can wait for it; and why one could not go on.
  bool is_broken() const { return is_broken_; }
  const std::string& error() const { return error_; }

 private:
  struct Rank {
    std::chrono::steady_clock::time_point heard;
    bool is_done = false;
  };

  void handle(const Letter& letter, FuzzLoop& loop, Positions& positions);
  void take_finding(const Letter& letter, FuzzLoop& loop);
  void give_up_silent_ranks();
  void tell_all(const std::string& letter, int except = 0);
  bool all_done() const;

  Parts parts_;
  FindingStore* store_ = nullptr;
  std::vector<Rank> ranks_;
  // Findings that other ranks work on, by rank and number; none where it was known already.
  std::map<std::pair<int, std::uint64_t>, std::optional<Found>> open_;
  bool is_broken_ = false;
  std::string error_;
};

}  // namespace rankle
