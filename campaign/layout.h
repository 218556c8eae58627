// The names in a campaign directory, in one place, because several commands read and write it:
// docs/stress.md says what each holds. The directory is the only thing that outlives a kill.
#pragma once

#include <filesystem>
#include <string>

namespace rankle {

inline constexpr int kCampaignSchema = 1;

struct CampaignLayout {
  std::filesystem::path dir;

  // What the campaign was told: written once, at its start.
  std::filesystem::path config() const { return dir / "config.json"; }
  // Locked while a process works in the directory.
  std::filesystem::path lock() const { return dir / "lock"; }
  // One object a line; older ones in events.1.jsonl (the newest of the old), events.2.jsonl, ...
  std::filesystem::path events() const { return dir / "events.jsonl"; }
  std::filesystem::path old_events(int number) const {
    return dir / ("events." + std::to_string(number) + ".jsonl");
  }
  // Folders of findings; each finding is a folder `repro_stem()` in one of them.
  std::filesystem::path findings() const { return dir / "findings"; }
  std::filesystem::path flaky() const { return dir / "flaky"; }
  std::filesystem::path fixed() const { return dir / "fixed"; }
  // Cases that run first at every start.
  std::filesystem::path corpus() const { return dir / "corpus"; }
  std::filesystem::path coverage() const { return dir / "coverage.json"; }
  // Where each worker is in the stream of cases; `positions` is newer, but only in memory of the
  // kernel until the next time `state` is written.
  std::filesystem::path state() const { return dir / "state.json"; }
  std::filesystem::path slots() const { return dir / "slots"; }
  std::filesystem::path positions() const { return slots() / "positions"; }
  std::filesystem::path slot(int worker) const {
    return slots() / ("worker-" + std::to_string(worker));
  }
  std::filesystem::path mutants() const { return dir / "mutants.json"; }
  std::filesystem::path report() const { return dir / "report.html"; }
};

// The files in the folder of one finding.
struct FindingLayout {
  std::filesystem::path dir;

  std::filesystem::path repro() const { return dir / "case.json"; }
  std::filesystem::path original() const { return dir / "original.json"; }  // before minimising
  std::filesystem::path explanation() const { return dir / "explanation.txt"; }
  std::filesystem::path log() const { return dir / "log.txt"; }
  std::filesystem::path found() const { return dir / "found.json"; }  // when, how often
};

}  // namespace rankle
