// All litmus cases in one table, and the table as Markdown for docs/detectors.md.
#include <string_view>

#include "tests/litmus/litmus.h"

namespace rankle::sim::litmus {
namespace {

struct Theme {
  std::string_view file;
  std::string_view title;
  std::vector<Litmus> (*rows)();
};

constexpr Theme kThemes[] = {
    {"barriers.hip.cpp", "Lanes and waves of one block", barrier_rows},
    {"messages.hip.cpp", "Flags: order and scope", message_rows},
    {"fences.hip.cpp", "Fences", fence_rows},
    {"counters.hip.cpp", "Counters and release sequences", counter_rows},
    {"grid.hip.cpp", "Barriers over a grid, and the last block", grid_rows},
    {"locks.hip.cpp", "Locks", lock_rows},
    {"device_barriers.hip.cpp", "Barriers between devices", device_barrier_rows},
    {"slots.hip.cpp", "Slots that are used again", slot_rows},
    {"mixed.hip.cpp", "Widths, atomic and plain, flags inside data", mixed_rows},
    {"mappings.hip.cpp", "IPC mappings", mapping_rows},
    {"volatiles.hip.cpp", "Volatile", volatile_rows},
    {"streams.hip.cpp", "Streams, events and hosts", stream_rows},
    {"copies.hip.cpp", "Copies, pinned memory and memory used again", copy_rows},
};

std::string_view name_of(Level level) {
  constexpr std::string_view kNames[] = {"wave", "block", "device", "system"};
  return kNames[static_cast<int>(level)];
}

std::string_view name_of(ReportKind kind) {
  switch (kind) {
    case ReportKind::data_race:
      return "data-race";
    case ReportKind::scope_race:
      return "scope-race";
    case ReportKind::relaxed_handoff:
      return "relaxed-handoff";
    case ReportKind::wave_synchronous:
      return "wave-synchronous";
    default:
      return "?";
  }
}

std::string_view expectation(const Litmus& litmus) {
  return litmus.is_racy() ? name_of(litmus.findings.front().kind) : "clean";
}

std::string path_of(const Theme& theme) { return "tests/litmus/" + std::string(theme.file); }

std::vector<Litmus> make_table() {
  std::vector<Litmus> all;
  for (const Theme& theme : kThemes) {
    for (Litmus& row : theme.rows()) {
      row.file = path_of(theme);
      all.push_back(std::move(row));
    }
  }
  return all;
}

std::string row_text(const Litmus& litmus) {
  std::string text = "| `" + litmus.name + "` | " + std::string(name_of(litmus.level)) + " | " +
                     std::to_string(litmus.devices) + " | " + std::string(expectation(litmus)) +
                     " | " + litmus.sentence;
  if (!litmus.needs_order.empty()) text += " Needs a given order: " + litmus.needs_order + ".";
  return text + " |\n";
}

}  // namespace

const std::vector<Litmus>& litmus_table() {
  static const std::vector<Litmus> table = make_table();
  return table;
}

std::string litmus_document() {
  int racy = 0;
  for (const Litmus& litmus : litmus_table()) racy += litmus.is_racy() ? 1 : 0;
  const int clean = static_cast<int>(litmus_table().size()) - racy;
  std::string text = std::to_string(racy) + " racy and " + std::to_string(clean) +
                     " clean cases. \"Devices\" is the number of devices that take part.\n";
  for (const Theme& theme : kThemes) {
    text += "\n### " + std::string(theme.title) + "\n\n[" + path_of(theme) + "](../" +
            path_of(theme) + ")\n\n";
    text += "| case | level | devices | finding | what it is |\n|---|---|---|---|---|\n";
    for (const Litmus& litmus : litmus_table()) {
      if (litmus.file == path_of(theme)) text += row_text(litmus);
    }
  }
  return text;
}

}  // namespace rankle::sim::litmus
