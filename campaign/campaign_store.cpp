// See campaign_store.h.
#include "campaign/campaign_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "repro/atomic_file.h"
#include "repro/explain.h"

namespace rankle {
namespace {

namespace fs = std::filesystem;

constexpr int kNumberMax = 10'000;
constexpr std::size_t kCountBytesMax = 65'536;

fs::path numbered(const fs::path& folder, const std::string& stem, int number) {
  return folder / (number == 1 ? stem : fmt::format("{}-{}", stem, number));
}

// What the run said, word for word.
std::string log_of(const Repro& repro) {
  std::string log;
  const auto add = [&log](const Finding& finding) {
    log += fmt::format("{}: {}\n", name_of(finding.kind), printable(finding.message));
    for (const std::string& detail : finding.details) log += "  " + printable(detail) + "\n";
  };
  add(repro.finding);
  for (const Finding& finding : repro.further) add(finding);
  return log;
}

}  // namespace

CampaignStore::CampaignStore(CampaignLayout layout,
                             std::function<std::string(const Repro&)> explain)
    : layout_(std::move(layout)), explain_(std::move(explain)) {
  adopt_counts(layout_.findings());
  adopt_counts(layout_.flaky());
}

void CampaignStore::save(Found& found) {
  try {
    if (found.file.empty()) {
      create(found);
    } else {
      replace_file(found.file, to_text(found.repro));
    }
    found.write_error.clear();
  } catch (const std::system_error& error) {
    found.write_error = error.what();
  }
}

void CampaignStore::settled(Found& found) {
  save(found);
  if (!found.write_error.empty()) return;
  try {
    FindingLayout finding{found.file.parent_path()};
    write_texts(finding, found.repro);
    if (!found.repro.flaky) return;
    finding = move(finding, layout_.flaky());
    found.file = finding.repro();
    const std::lock_guard lock(mutex_);
    counts_[found.repro.signature].layout = finding;
  } catch (const std::system_error& error) {
    found.write_error = error.what();
  }
}

void CampaignStore::reported(const Found& found) {
  const std::lock_guard lock(mutex_);
  const auto it = counts_.find(found.repro.signature);
  if (it == counts_.end() || !found.write_error.empty()) return;
  it->second.is_reported = true;
  it->second.has_changed = true;
  try {
    write_count(it->first, it->second);
  } catch (const std::system_error&) {
    // write_counts tells it. Told twice is better than never.
  }
}

bool CampaignStore::was_reported(const std::string& signature) {
  const std::lock_guard lock(mutex_);
  const auto it = counts_.find(signature);
  return it != counts_.end() && it->second.is_reported;
}

// The repro file comes last: a folder without one is no finding, and no torn one either.
void CampaignStore::create(Found& found) {
  const std::string stem = repro_stem(found.repro);
  FindingLayout finding;
  for (int number = 1; number <= kNumberMax && finding.dir.empty(); ++number) {
    const fs::path dir = numbered(layout_.findings(), stem, number);
    // A folder that a kill left without its repro file is taken over.
    const bool is_free = fs::create_directory(dir) || !fs::exists(FindingLayout{dir}.repro());
    if (is_free) finding.dir = dir;
  }
  Count count{finding,
              std::string(name_of(found.repro.finding.kind)),
              found.repro.failing.target,
              found.seconds,
              found.cases,
              1,
              found.seconds};
  write_count(found.repro.signature, count);
  replace_file(finding.original(), to_text(found.repro));
  write_texts(finding, found.repro);
  replace_file(finding.repro(), to_text(found.repro));
  found.file = finding.repro();
  const std::lock_guard lock(mutex_);
  count.times = std::max<std::uint64_t>(1, early_[found.repro.signature]);
  count.has_changed = count.times > 1;
  early_.erase(found.repro.signature);
  counts_[found.repro.signature] = std::move(count);
}

void CampaignStore::write_texts(const FindingLayout& finding, const Repro& repro) const {
  replace_file(finding.explanation(), explain_(repro));
  replace_file(finding.log(), log_of(repro));
}

std::vector<KeptFinding> CampaignStore::list(const fs::path& folder,
                                             std::vector<std::string>& unreadable) {
  std::vector<KeptFinding> all;
  std::vector<fs::path> dirs;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (fs::exists(FindingLayout{it->path()}.repro())) dirs.push_back(it->path());
  }
  std::sort(dirs.begin(), dirs.end());
  for (const fs::path& dir : dirs) {
    try {
      all.push_back({{dir}, read_repro(FindingLayout{dir}.repro())});
    } catch (const ReproError& wrong) {
      unreadable.emplace_back(wrong.what());
    }
  }
  return all;
}

FindingLayout CampaignStore::move(const FindingLayout& finding, const fs::path& folder) {
  const std::string stem = finding.dir.filename().string();
  for (int number = 1; number <= kNumberMax; ++number) {
    const fs::path to = numbered(folder, stem, number);
    if (fs::exists(to)) continue;
    fs::rename(finding.dir, to);
    return {to};
  }
  throw std::system_error(EEXIST, std::generic_category(),
                          fmt::format("cannot move {}", finding.dir.string()));
}

void CampaignStore::seen(const std::string& signature, double seconds) {
  const std::lock_guard lock(mutex_);
  const auto it = counts_.find(signature);
  if (it == counts_.end()) {
    ++early_[signature];
    return;
  }
  ++it->second.times;
  it->second.last_s = seconds;
  it->second.has_changed = true;
}

void CampaignStore::write_counts() {
  const std::lock_guard lock(mutex_);
  for (auto& [signature, count] : counts_) {
    if (!count.has_changed || !fs::exists(count.layout.dir)) continue;
    write_count(signature, count);
    count.has_changed = false;
  }
}

void CampaignStore::write_count(const std::string& signature, const Count& count) {
  const nlohmann::ordered_json json = {
      {"schema", kCampaignSchema}, {"signature", signature}, {"kind", count.kind},
      {"target", count.target},    {"t", count.first_s},     {"cases", count.first_cases},
      {"seen", count.times},       {"last_t", count.last_s}, {"reported", count.is_reported}};
  replace_file(count.layout.found(),
               json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

void CampaignStore::adopt_counts(const fs::path& folder) {
  std::vector<std::string> unreadable;
  for (const KeptFinding& kept : list(folder, unreadable)) {
    Count count{kept.layout, std::string(name_of(kept.repro.finding.kind)),
                kept.repro.failing.target};
    std::string error;
    const auto text = read_small_file(kept.layout.found(), kCountBytesMax, error);
    const auto json = nlohmann::json::parse(text.value_or(""), nullptr, false);
    if (json.is_object()) {
      count.first_s = json.value("t", 0.0);
      count.first_cases = json.value("cases", std::uint64_t{0});
      count.times = json.value("seen", std::uint64_t{1});
      count.last_s = json.value("last_t", 0.0);
      count.is_reported = json.value("reported", false);
    }
    counts_[kept.repro.signature] = std::move(count);
  }
}

}  // namespace rankle
