// See finding_entries.h.
#include "campaign/report/finding_entries.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <system_error>
#include <tuple>

#include "generators/case_json.h"
#include "repro/atomic_file.h"
#include "repro/describe_case.h"
#include "repro/explain.h"
#include "repro/repro_file.h"

namespace rankle {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// What a browser still opens without a pause.
constexpr std::size_t kFileBytesMax = std::size_t{512} << 10;
constexpr std::size_t kFilesBytesMax = std::size_t{24} << 20;
constexpr std::size_t kLogBytesShown = std::size_t{16} << 10;
constexpr std::size_t kTextBytesMax = std::size_t{16} << 20;

struct State {
  const char* folder;
  const char* name;
};
constexpr State kStates[] = {{"findings", "open"}, {"flaky", "flaky"}, {"fixed", "fixed"}};

std::optional<std::string> text_of(const fs::path& file) {
  std::string error;
  return read_small_file(file, kTextBytesMax, error);
}

std::string log_tail(const fs::path& file) {
  std::string text = text_of(file).value_or("");
  if (text.size() <= kLogBytesShown) return text;
  return fmt::format("... the first {} bytes are in {}\n", text.size() - kLogBytesShown,
                     file.filename().string()) +
         text.substr(text.size() - kLogBytesShown);
}

Json sites_of(const Finding& finding) {
  Json sites = Json::array();
  for (const Site& site : finding.sites) {
    sites.push_back({{"function", site.function}, {"file", site.file}, {"line", site.line}});
  }
  return sites;
}

class Reader {
 public:
  Reader(const SourceRoots& source_roots, FindingEntries& result)
      : source_roots_(source_roots), result_(result) {}

  // `file` is a repro file; what lies beside it belongs to it if `has_folder`.
  void read(const fs::path& file, const State& state, bool has_folder) {
    try {
      result_.entries.push_back(entry_of(file, state, has_folder));
    } catch (const ReproError& error) {
      result_.problems.emplace_back(error.what());
    }
  }

 private:
  Json entry_of(const fs::path& file, const State& state, bool has_folder) {
    const Repro repro = read_repro(file);
    const fs::path folder = file.parent_path();
    Json entry = {
        {"state", repro.flaky && state.name == std::string("open") ? "flaky" : state.name},
        {"stem", (has_folder ? folder : file.stem()).filename().string()},
        {"kind", name_of(repro.finding.kind)},
        {"meaning", meaning_of(repro.finding.kind)},
        {"target", repro.failing.target},
        {"signature", repro.signature},
        {"sentence", sentence_of(repro.finding)},
        {"case_summary", summarise_case(repro.failing)},
        {"sites", sites_of(repro.finding)},
        {"replay", replay_command(fs::absolute(file).lexically_normal().string())},
        {"fuzz", fuzz_command(repro)}};
    if (repro.flaky) {
      entry["reproduces"] = fmt::format("{}/{}", repro.flaky->failed, repro.flaky->runs);
    }
    if (repro.original_case) entry["original_summary"] = summarise_case(*repro.original_case);
    add_case(repro, file, entry);
    const auto kept = has_folder ? text_of(folder / "explanation.txt") : std::nullopt;
    entry["explanation"] =
        kept ? *kept : explain(repro, {source_roots_(repro.failing.target), file.string()});
    if (has_folder) add_history(folder, entry);
    return entry;
  }

  void add_case(const Repro& repro, const fs::path& file, Json& entry) {
    const std::string text = case_to_json(repro.failing).dump(2);
    if (text.size() <= kFileBytesMax) entry["case"] = text;
    const std::string whole = text_of(file).value_or("");
    if (whole.size() > kFileBytesMax || bytes_ + whole.size() > kFilesBytesMax) return;
    bytes_ += whole.size();
    entry["repro"] = whole;
  }

  static void add_history(const fs::path& folder, Json& entry) {
    const std::string log = log_tail(folder / "log.txt");
    if (!log.empty()) entry["log"] = log;
    const Json found = Json::parse(text_of(folder / "found.json").value_or(""), nullptr, false);
    if (!found.is_object()) return;
    for (const char* key : {"t", "cases", "seen"}) {
      if (found.contains(key) && found[key].is_number()) entry[key] = found[key];
    }
  }

  const SourceRoots& source_roots_;
  FindingEntries& result_;
  std::size_t bytes_ = 0;  // of whole repro files
};

// In the order of names, so that equal campaigns give equal reports.
std::vector<fs::path> children_of(const fs::path& folder) {
  std::vector<fs::path> children;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    children.push_back(it->path());
  }
  std::sort(children.begin(), children.end());
  return children;
}

}  // namespace

FindingEntries read_finding_entries(const fs::path& folder, const SourceRoots& source_roots) {
  FindingEntries result;
  Reader reader(source_roots, result);
  for (const State& state : kStates) {
    for (const fs::path& child : children_of(folder / state.folder)) {
      if (fs::is_directory(child)) reader.read(child / "case.json", state, true);
    }
  }
  std::ranges::sort(result.entries, {}, [](const Json& entry) {
    const int group = entry["state"] == "open" ? 0 : entry["state"] == "flaky" ? 1 : 2;
    return std::tuple(group, entry.value("t", 0.0), entry.value("stem", std::string()));
  });
  return result;
}

}  // namespace rankle
