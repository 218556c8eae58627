// What the ranks of one campaign write to each other, as JSON. Rank 0 owns the directory: it tells
// the others what to run, and they tell it what they found, and how far they are, ten times a
// second.
//
//   0 -> r  setup     arguments, seed, lanes, known signatures, corpus, seconds so far
//   r -> 0  finding   a repro file's text; again with each smaller case, and `settled` at last
//   r -> 0  progress  next case of each worker, counts and cells since the last letter
//   0 -> r  known     a signature that another rank has found
//   0 -> r  stop      end after the case that runs
//   r -> 0  done      nothing more will come; `error` if it could not go on
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "campaign/coverage.h"
#include "campaign/finding_store.h"
#include "campaign/fuzz_plan.h"

namespace rankle {

struct Setup {
  std::map<std::string, std::string> arguments;
  std::uint64_t seed = 0;
  std::vector<Lane> lanes;
  std::vector<std::string> known;
  std::vector<Case> corpus;
  double seconds = 0;
};

struct FindingLetter {
  std::uint64_t number = 0;  // of the sender's findings
  bool is_settled = false;
  Found found;  // repro, seconds, cases, from_corpus, minimised without its verdict
};

struct ProgressLetter {
  std::vector<std::uint64_t> next;  // case of each of the sender's workers
  FuzzProgress counts;              // since the last letter
  std::vector<std::pair<Cell, std::uint64_t>> cells;
};

struct DoneLetter {
  FuzzEnd end = FuzzEnd::cases_done;
  std::string error;
};

std::string to_letter(const Setup& setup);
std::string to_letter(const FindingLetter& finding);
std::string to_letter(const ProgressLetter& progress);
std::string to_letter(const DoneLetter& done);
std::string known_letter(const std::string& signature);
std::string stop_letter();

// "setup", "finding", ...; the readers throw std::runtime_error for a letter that cannot be read,
// which is a bug of ours or two versions of Rankle in one campaign.
std::string kind_of(std::string_view letter);
Setup setup_of(std::string_view letter);
FindingLetter finding_of(std::string_view letter);
ProgressLetter progress_of(std::string_view letter);
DoneLetter done_of(std::string_view letter);
std::string signature_of(std::string_view letter);

}  // namespace rankle
