// See explain.h. Every text that may come from a file goes through `printable`.
#include "repro/explain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "repro/describe_case.h"
#include "repro/race_timeline.h"
#include "repro/source_lines.h"

namespace rankle {
namespace {

constexpr std::size_t kSitesShown = 4;
constexpr std::size_t kDetailsShown = 40;

std::string quoted_for_shell(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,@:+=";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string result = "'";
  for (const char c : printable(text))
    result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string place_of(const Site& site) {
  return site.file.empty() ? "unknown line" : fmt::format("{}:{}", site.file, site.line);
}

void add(std::string& text, std::string_view line) {
  text += printable(std::string(line));
  text += '\n';
}

void add_sites(std::string& text, const Finding& finding, const ExplainOptions& options) {
  if (finding.sites.empty()) return;
  add(text, "");
  add(text, "Where");
  std::string shown;
  for (std::size_t i = 0; i < std::min(finding.sites.size(), kSitesShown); ++i) {
    const Site& site = finding.sites[i];
    std::string line = fmt::format("  {}", place_of(site));
    if (!site.function.empty()) line += fmt::format(" in {}", site.function);
    if (i < finding.actors.size()) {
      const std::string who = name_of(finding.actors[i]);
      if (!who.empty()) line += fmt::format(": {}", who);
    }
    add(text, line);
    if (place_of(site) == shown) continue;
    shown = place_of(site);
    for (const std::string& source :
         source_excerpt(site, options.source_roots, options.lines_around)) {
      add(text, fmt::format("    {}", source));
    }
  }
  if (finding.sites.size() > kSitesShown) {
    add(text, fmt::format("  and {} more places", finding.sites.size() - kSitesShown));
  }
}

void add_details(std::string& text, const Finding& finding) {
  if (finding.details.empty()) return;
  add(text, "");
  add(text, finding.kind == FindingKind::wrong_result ? "What the data looked like" : "Details");
  for (std::size_t i = 0; i < std::min(finding.details.size(), kDetailsShown); ++i) {
    add(text, fmt::format("  - {}", finding.details[i]));
  }
  if (finding.details.size() > kDetailsShown) {
    add(text, fmt::format("  and {} more lines", finding.details.size() - kDetailsShown));
  }
}

void add_timeline(std::string& text, const Finding& finding) {
  const std::vector<std::string> lines = race_timeline(finding);
  if (lines.empty()) return;
  add(text, "");
  add(text, "What happened, downwards in time; nothing orders the first and the last line");
  for (const std::string& line : lines) add(text, fmt::format("  {}", line));
}

void add_further(std::string& text, const Repro& repro) {
  if (repro.further.empty()) return;
  add(text, "");
  add(text, "What followed in the same run");
  for (const Finding& finding : repro.further) {
    add(text, fmt::format("  {}: {}", name_of(finding.kind), sentence_of(finding)));
    for (std::size_t i = 0; i < std::min(finding.details.size(), kDetailsShown); ++i) {
      add(text, fmt::format("    - {}", finding.details[i]));
    }
  }
}

void add_case(std::string& text, const Repro& repro) {
  add(text, "");
  const bool smaller = repro.minimised && repro.minimised->accepted > 0;
  add(text, smaller ? "The smallest case found that fails this way" : "The case");
  for (const std::string& line : describe_case(repro.failing, step_notes_of(repro.finding))) {
    add(text, fmt::format("  {}", line));
  }
  const bool any_call = std::any_of(repro.variants.begin(), repro.variants.end(),
                                    [](const std::string& variant) { return !variant.empty(); });
  for (std::size_t rank = 0; any_call && rank < repro.variants.size(); ++rank) {
    const bool all_equal = std::all_of(repro.variants.begin(), repro.variants.end(),
                                       [&](const auto& v) { return v == repro.variants[0]; });
    add(text, all_equal ? fmt::format("  dispatch: {} on every rank", repro.variants[0])
                        : fmt::format("  dispatch on rank {}: {}", rank, repro.variants[rank]));
    if (all_equal) break;
  }
  if (smaller && repro.original_case) {
    add(text, fmt::format("  found as: {}", summarise_case(*repro.original_case)));
    add(text,
        fmt::format("  shrunk in {} runs, {} of them smaller and failing alike ({})",
                    repro.minimised->attempts, repro.minimised->accepted, repro.minimised->end));
  }
}

void add_certainty(std::string& text, const Repro& repro) {
  if (!repro.certain) return;
  const Certainty& certain = *repro.certain;
  add(text, "");
  if (certain.step == 0) {
    add(text, fmt::format("It does not depend on the schedule: all of {} random ones failed.",
                          certain.runs));
    return;
  }
  add(text, fmt::format("After step {} it is certain: all of {} random continuations failed; from "
                        "an earlier step {} did.",
                        certain.step, certain.runs, certain.failed_before));
}

void add_commands(std::string& text, const Repro& repro, const ExplainOptions& options) {
  add(text, "");
  add(text, "Again");
  if (!options.file.empty()) add(text, fmt::format("  {}", replay_command(options.file)));
  add(text, fmt::format("  {}", fuzz_command(repro)));
}

}  // namespace

std::string explain(const Repro& repro, const ExplainOptions& options) {
  const Finding& finding = repro.finding;
  std::string text;
  add(text, fmt::format("{} in {}", name_of(finding.kind), repro.failing.target));
  add(text, "");
  add(text, sentence_of(finding));
  add(text, meaning_of(finding.kind));
  if (repro.flaky) {
    add(text,
        fmt::format("Flaky: it failed in {} of {} runs.", repro.flaky->failed, repro.flaky->runs));
  }
  add_sites(text, finding, options);
  add_timeline(text, finding);
  add_details(text, finding);
  add_further(text, repro);
  add_case(text, repro);
  add_certainty(text, repro);
  add_commands(text, repro, options);
  return text;
}

std::string sentence_of(const Finding& finding) {
  std::string sentence = printable(finding.message);
  if (sentence.empty()) sentence = fmt::format("{} was found.", name_of(finding.kind));
  if (finding.sites.empty()) return sentence;
  const std::string place = place_of(finding.sites.front());
  if (finding.sites.front().file.empty() || sentence.find(place) != std::string::npos) {
    return sentence;
  }
  const std::string_view what =
      finding.kind == FindingKind::barrier_divergence ? "The barrier at" : "At";
  return printable(fmt::format("{} {}: {}", what, place, sentence));
}

std::string meaning_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::wrong_result:
      return "The output differs from the exact reference, which is computed apart from the "
             "kernel.";
    case FindingKind::input_modified:
      return "A collective may read its input but must leave it as it was.";
    case FindingKind::redzone:
      return "Memory next to a buffer was written; nothing may write there.";
    case FindingKind::out_of_bounds:
      return "An access lies outside every live allocation that it could belong to.";
    case FindingKind::use_after_free:
      return "The memory had been freed before this access.";
    case FindingKind::misaligned:
      return "The address is not a multiple of the access's size, which the hardware requires.";
    case FindingKind::uninitialised_read:
      return "Nobody had written this memory before it was read, so its value is chance.";
    case FindingKind::peer_access:
      return "A device may read a peer's memory only after peer access has been enabled.";
    case FindingKind::data_race:
      return "Two accesses, one of them a write, are ordered by nothing, whatever values the flags "
             "had.";
    case FindingKind::scope_race:
      return "The hand-off orders the accesses only within a scope that one of the threads is "
             "outside of.";
    case FindingKind::relaxed_handoff:
      return "The hand-off lacks a release or an acquire, so the data may arrive after its flag.";
    case FindingKind::wave_synchronous:
      return "Lanes of one wave pass data to each other, and only lockstep, which neither language "
             "nor hardware promises, orders them.";
    case FindingKind::barrier_divergence:
      return "All threads of a block must reach the same barrier the same number of times; where "
             "they "
             "do not, waves pair up at different barriers, and some go on before the data is "
             "there.";
    case FindingKind::deadlock:
      return "Every thread waits, and no one is left who could write what they wait for.";
    case FindingKind::livelock:
      return "Threads keep running, but none of them gets anywhere.";
    case FindingKind::rank_mismatch:
      return "All ranks of one call must launch the same algorithm with the same grid.";
    case FindingKind::nondeterminism:
      return "Two runs that must give the same bits did not.";
    case FindingKind::leak:
      return "Memory or handles are left after everything was torn down.";
    case FindingKind::api_error:
      return "A HIP call failed or was used against its rules.";
    case FindingKind::crash:
      return "The worker process died while it ran this case.";
    case FindingKind::timeout:
      return "The case did not end before its deadline.";
  }
  return "";
}

std::string name_of(const Actor& actor) {
  std::string text;
  if (actor.thread >= 0) text += fmt::format("thread {} of ", actor.thread);
  if (actor.block >= 0) text += fmt::format("block {} on ", actor.block);
  if (actor.rank >= 0) return text + fmt::format("rank {}", actor.rank);
  return text.substr(0, text.size() < 4 ? 0 : text.size() - 4);
}

std::string replay_command(const std::string& file) {
  return fmt::format("rankle replay {}", quoted_for_shell(file));
}

std::string fuzz_command(const Repro& repro) {
  std::string text = "rankle fuzz --target " + quoted_for_shell(repro.selection.target);
  if (!repro.selection.worlds.empty()) {
    text += fmt::format(" --world {}", fmt::join(repro.selection.worlds, ","));
  }
  if (!repro.selection.dtypes.empty()) {
    text += fmt::format(
        " --dtype {}", quoted_for_shell(fmt::format("{}", fmt::join(repro.selection.dtypes, ","))));
  }
  if (repro.selection.programs != Programs::mixed) {
    text += fmt::format(" --programs {}", name_of(repro.selection.programs));
  }
  if (repro.selection.weak_memory) text += " --weak-memory";
  if (repro.options.keep_going) text += " --keep-going";
  return text + fmt::format(" --seed {} --only-case {}", repro.seed, repro.case_index);
}

std::string printable(std::string text) {
  std::replace_if(
      text.begin(), text.end(),
      [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, ' ');
  return text;
}

}  // namespace rankle
