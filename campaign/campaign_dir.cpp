// See campaign_dir.h.
#include "campaign/campaign_dir.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <system_error>

#include "campaign/positions.h"
#include "repro/atomic_file.h"

namespace rankle {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr std::size_t kFileBytesMax = std::size_t{4} << 20;

std::string text_of(const ordered_json& json) {
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

// Reads through `read`, and turns whatever is wrong with the file into one sentence.
template <class Read>
auto read_json(const fs::path& file, const Read& read) {
  std::string error;
  const std::optional<std::string> text = read_small_file(file, kFileBytesMax, error);
  if (!text) throw CampaignError(error);
  try {
    const ordered_json json = ordered_json::parse(*text);
    if (json.at("schema") != kCampaignSchema) {
      throw CampaignError(fmt::format("{}: schema: {} is not allowed; {} is", file.string(),
                                      json.at("schema").dump(), kCampaignSchema));
    }
    return read(json);
  } catch (const ordered_json::exception& wrong) {
    throw CampaignError(fmt::format("{} cannot be read: {}", file.string(), wrong.what()));
  }
}

ordered_json json_of(const FuzzProgress& p) {
  return {{"cases", p.cases},       {"findings", p.findings}, {"flaky", p.flaky},
          {"warnings", p.warnings}, {"failed", p.failed},     {"duplicates", p.duplicates},
          {"timeouts", p.timeouts}, {"errors", p.errors},     {"retries", p.retries}};
}

FuzzProgress progress_of(const ordered_json& json) {
  FuzzProgress p;
  p.cases = json.at("cases");
  p.failed = json.at("failed");
  p.duplicates = json.at("duplicates");
  p.timeouts = json.at("timeouts");
  p.errors = json.at("errors");
  p.retries = json.at("retries");
  p.warnings = json.at("warnings");
  return p;
}

}  // namespace

CampaignDir::CampaignDir(const fs::path& dir) : layout_{dir} {
  std::error_code none;
  if (fs::exists(dir, none) && !fs::is_directory(dir, none)) {
    throw CampaignError(fmt::format("{} is a file, no directory", dir.string()));
  }
  const bool is_foreign = fs::is_directory(dir, none) && !fs::exists(layout_.lock(), none) &&
                          !fs::exists(layout_.config(), none) && !fs::is_empty(dir, none);
  if (is_foreign) {
    throw CampaignError(fmt::format("{} is not empty and holds no campaign", dir.string()));
  }
  fs::create_directories(dir);
  lock_ = open(layout_.lock().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock_ < 0) {
    throw std::system_error(errno, std::generic_category(),
                            fmt::format("cannot create {}", layout_.lock().string()));
  }
  if (flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    close(lock_);
    throw CampaignError(fmt::format("another process works in {}", dir.string()));
  }
  try {
    for (const fs::path& folder : {layout_.findings(), layout_.flaky(), layout_.fixed(),
                                   layout_.corpus(), layout_.slots()}) {
      fs::create_directories(folder);
    }
  } catch (...) {
    close(lock_);
    throw;
  }
}

CampaignDir::~CampaignDir() { close(lock_); }

std::optional<CampaignConfig> CampaignDir::config() const {
  if (!fs::exists(layout_.config())) return std::nullopt;
  return read_json(layout_.config(), [](const ordered_json& json) {
    CampaignConfig config;
    config.version = json.at("version");
    config.commit = json.at("commit");
    config.platform = json.at("platform");
    config.seed = json.at("seed");
    config.jobs = json.at("jobs");
    config.started = json.at("started");
    config.arguments = json.at("arguments");
    return config;
  });
}

void CampaignDir::begin(const CampaignConfig& config) const {
  const ordered_json json = {{"schema", kCampaignSchema},
                             {"version", config.version},
                             {"commit", config.commit},
                             {"platform", config.platform},
                             {"started", config.started},
                             {"seed", config.seed},
                             {"jobs", config.jobs},
                             {"selection",
                              {{"target", config.selection.target},
                               {"world", config.selection.worlds},
                               {"dtype", config.selection.dtypes},
                               {"programs", name_of(config.selection.programs)},
                               {"weak_memory", config.selection.weak_memory}}},
                             {"options", nlohmann::json(config.run)},
                             {"arguments", config.arguments}};
  replace_file(layout_.config(), text_of(json));
}

CampaignState CampaignDir::state(std::uint64_t seed) const {
  CampaignState state;
  if (fs::exists(layout_.state())) {
    state = read_json(layout_.state(), [](const ordered_json& json) {
      CampaignState read;
      read.progress = progress_of(json.at("progress"));
      read.progress.seconds = json.at("seconds");
      for (const ordered_json& worker : json.at("workers")) {
        read.lanes.push_back({worker.at("next"), worker.at("stride")});
      }
      return read;
    });
  }
  // Newer, unless the machine itself went down; and then only ever further on.
  const auto positions = Positions::read(layout_.positions(), seed);
  if (positions && positions->next.size() == state.lanes.size()) {
    state.progress.seconds = std::max(state.progress.seconds, positions->seconds);
    for (std::size_t worker = 0; worker < state.lanes.size(); ++worker) {
      Lane& lane = state.lanes[worker];
      const std::uint64_t next = positions->next[worker];
      if (next <= lane.first || lane.stride == 0) continue;
      state.progress.cases += (next - lane.first) / lane.stride;
      lane.first = next;
    }
  }
  FuzzProgress& p = state.progress;
  p.passed = p.cases - std::min(p.cases, p.failed + p.timeouts);
  return state;
}

void CampaignDir::write_state(const CampaignState& state, std::uint64_t seed) const {
  ordered_json workers = ordered_json::array();
  for (std::size_t worker = 0; worker < state.lanes.size(); ++worker) {
    workers.push_back({{"seed", seed},
                       {"next", state.lanes[worker].first},
                       {"stride", state.lanes[worker].stride}});
  }
  replace_file(layout_.state(), text_of({{"schema", kCampaignSchema},
                                         {"seconds", state.progress.seconds},
                                         {"progress", json_of(state.progress)},
                                         {"workers", std::move(workers)}}));
}

std::vector<Lane> lanes_after(const CampaignState& state, std::size_t workers) {
  if (state.lanes.size() == workers) return state.lanes;
  std::uint64_t begin = 0;
  for (const Lane& lane : state.lanes) begin = std::max(begin, lane.first);
  std::vector<Lane> lanes;
  for (std::size_t worker = 0; worker < workers; ++worker) {
    lanes.push_back({begin + worker, workers});
  }
  return lanes;
}

}  // namespace rankle
