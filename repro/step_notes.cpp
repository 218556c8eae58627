// See step_notes.h.
#include "repro/step_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string_view>

#include "repro/explain.h"

namespace rankle {
namespace {

constexpr std::size_t kNotesShown = 4;  // per step

// What was done at the first place; "" where it is no deed of one rank.
std::string_view deed_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::wrong_result:
    case FindingKind::nondeterminism:
      return "finds the first wrong element of its output";
    case FindingKind::input_modified:
      return "finds its input changed";
    case FindingKind::redzone:
      return "finds memory next to a buffer overwritten";
    case FindingKind::out_of_bounds:
      return "leaves the memory that it may use";
    case FindingKind::use_after_free:
      return "uses memory that has been freed";
    case FindingKind::misaligned:
      return "uses an address that is not aligned";
    case FindingKind::uninitialised_read:
      return "reads what nobody has written";
    case FindingKind::peer_access:
      return "reaches into the memory of a peer";
    case FindingKind::barrier_divergence:
      return "is at a barrier that not all of its block reach alike";
    case FindingKind::deadlock:
    case FindingKind::livelock:
      return "waits in vain";
    case FindingKind::rank_mismatch:
      return "makes its launch, which another rank makes differently";
    case FindingKind::api_error:
      return "makes the call in question";
    case FindingKind::data_race:
    case FindingKind::scope_race:
    case FindingKind::relaxed_handoff:
    case FindingKind::wave_synchronous:
      return "takes part in the race";
    case FindingKind::leak:
    case FindingKind::crash:
    case FindingKind::timeout:
      return "";
  }
  return "";
}

// Races list the later access first, the earlier one second, then who read and who wrote the flag.
std::vector<std::size_t> order_of(const Finding& finding) {
  std::vector<std::size_t> order(finding.actors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // What came later or on other ranks is of the same kind, and not the first.
  if (finding.kind == FindingKind::wrong_result || finding.kind == FindingKind::input_modified ||
      finding.kind == FindingKind::nondeterminism || finding.kind == FindingKind::redzone) {
    order.resize(std::min<std::size_t>(order.size(), 1));
  }
  if (finding.roles.size() == 4 && order.size() == 4) return {1, 3, 2, 0};
  if (finding.roles.size() == 2 && order.size() == 2) return {1, 0};
  return order;
}

// The memory that the finding is about: what its sentence has in quotation marks; "" if nothing.
std::string memory_of(const Finding& finding) {
  const std::size_t begin = finding.message.find('\'');
  if (begin == std::string::npos) return "";
  const std::size_t end = finding.message.find('\'', begin + 1);
  return end == std::string::npos ? "" : finding.message.substr(begin, end + 1 - begin);
}

bool is_about_memory(FindingKind kind) {
  return kind == FindingKind::out_of_bounds || kind == FindingKind::use_after_free ||
         kind == FindingKind::misaligned || kind == FindingKind::uninitialised_read ||
         kind == FindingKind::peer_access;
}

// "reads 4 bytes of 'input of rank 1'"
std::string deed_of(const Finding& finding, std::size_t place) {
  constexpr std::string_view kData = "the data";
  const std::string memory = memory_of(finding);
  if (place >= finding.roles.size()) {
    const std::string deed(deed_of(finding.kind));
    return is_about_memory(finding.kind) && !memory.empty() ? deed + ": " + memory : deed;
  }
  std::string role = finding.roles[place];
  if (!memory.empty() && role.ends_with(kData)) {
    role.replace(role.size() - kData.size(), kData.size(), memory);
  }
  return role;
}

}  // namespace

StepNotes step_notes_of(const Finding& finding) {
  StepNotes notes;
  for (const std::size_t i : order_of(finding)) {
    const Actor& actor = finding.actors[i];
    const std::string deed = deed_of(finding, i);
    if (actor.step < 0 || deed.empty()) continue;
    std::string note = fmt::format("{} {}", name_of(actor), deed);
    if (i < finding.sites.size() && !finding.sites[i].file.empty()) {
      note += fmt::format(" ({}:{})", finding.sites[i].file, finding.sites[i].line);
    }
    std::vector<std::string>& of_step = notes[actor.step];
    const bool is_new = std::find(of_step.begin(), of_step.end(), note) == of_step.end();
    if (is_new && of_step.size() < kNotesShown) of_step.push_back(std::move(note));
  }
  return notes;
}

}  // namespace rankle
