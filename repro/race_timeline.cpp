// See race_timeline.h.
#include "repro/race_timeline.h"

#include <fmt/format.h>

#include <algorithm>

#include "repro/explain.h"

namespace rankle {
namespace {

constexpr std::size_t kColumn = 58;

// Sites as the simulator gives them: the later access, the earlier one, then, if a flag failed to
// order them, who read it and who wrote it.
enum Place : std::size_t { kLater, kEarlier, kFlagReader, kFlagWriter };

bool is_race(FindingKind kind) {
  return kind == FindingKind::data_race || kind == FindingKind::scope_race ||
         kind == FindingKind::relaxed_handoff || kind == FindingKind::wave_synchronous;
}

// Whatever it was doing.
bool is_same(const Actor& a, const Actor& b) {
  return a.rank == b.rank && a.block == b.block && a.thread == b.thread;
}

class Timeline {
 public:
  explicit Timeline(const Finding& finding) : finding_(finding) {
    row(name_of(finding.actors[kEarlier]), name_of(finding.actors[kLater]));
    row(std::string(kColumn - 4, '-'), std::string(kColumn - 4, '-'));
  }

  // What one side did: its own column, or the column of the side that it stands on, with its name.
  void add(std::size_t place) {
    const bool left = place == kEarlier || place == kFlagWriter;
    const Actor& owner = finding_.actors[left ? kEarlier : kLater];
    const Actor& actor = finding_.actors[place];
    if (!is_same(actor, owner)) cell(left, fmt::format("({})", name_of(actor)));
    cell(left, finding_.roles[place]);
    const Site& site = finding_.sites[place];
    if (!site.file.empty()) cell(left, fmt::format("  {}:{}", site.file, site.line));
  }

  std::vector<std::string> take() { return std::move(lines_); }

 private:
  void cell(bool left, const std::string& text) { left ? row(text, "") : row("", text); }
  void row(const std::string& left, const std::string& right) {
    std::string line = fmt::format("{:<{}}{}", left, kColumn, right);
    line.erase(line.find_last_not_of(' ') + 1);
    lines_.push_back(std::move(line));
  }

  const Finding& finding_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> race_timeline(const Finding& finding) {
  const std::size_t known =
      std::min({finding.sites.size(), finding.actors.size(), finding.roles.size()});
  if (!is_race(finding.kind) || known <= kEarlier) return {};
  Timeline timeline(finding);
  timeline.add(kEarlier);
  if (known > kFlagWriter) {
    timeline.add(kFlagWriter);
    timeline.add(kFlagReader);
  }
  timeline.add(kLater);
  return timeline.take();
}

}  // namespace rankle
