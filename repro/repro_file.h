// The repro file: one finding as one JSON file that anybody can replay. It names a target, never a
// path or a command, and its sizes are capped before anything is allocated from them.
//
//   {"schema": 1, "rankle": "0.1.0", "commit": "1a2b3c4d5e6f", "platform": "sim",
//    "target": "allreduce/...", "kind": "barrier-divergence", "signature": "...",
//    "finding": {"kind", "subkind", "message", "details", "sites", "actors"}, "further": [...],
//    "case": {...}, "options": {"keep_going": false, "deadline_s": 10},
//    "trace_hash": "0x0123456789abcdef", "variants": [...],
//    "seed": 7, "case_index": 41, "selection": {"target": GLOB, "world": [4], "dtype": ["bf16"]},
//                                 (and "programs": "only" or "none")
//    "minimised": {"attempts", "accepted", "seconds", "end"}, "original_case": {...},
//    "flaky": {"failed": 3, "runs": 5}}
//
// The last three are optional. Unknown keys are refused with their JSON path. A change of meaning
// raises kReproSchema; files of a later schema are refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "generators/case.h"
#include "generators/programs.h"
#include "harness/executor.h"
#include "harness/verdict.h"
#include "repro/schedule_minimiser.h"

namespace rankle {

inline constexpr int kReproSchema = 1;
inline constexpr std::size_t kReproBytesMax = std::size_t{16} << 20;

// What fuzzing was told to choose from; with seed and index it gives the original case again.
struct Selection {
  std::string target;               // glob
  std::vector<int> worlds;          // empty: all
  std::vector<std::string> dtypes;  // empty: all
  Programs programs = Programs::mixed;
  bool weak_memory = false;

  bool operator==(const Selection&) const = default;
};

struct MinimisedNote {
  std::uint64_t attempts = 0;
  std::uint64_t accepted = 0;
  double seconds = 0;
  std::string end;  // name_of(MinimiseEnd)

  bool operator==(const MinimisedNote&) const = default;
};

struct FlakyNote {
  int failed = 0;  // of `runs` runs
  int runs = 0;

  bool operator==(const FlakyNote&) const = default;
};

struct Repro {
  std::string rankle;  // version that wrote the file
  std::string commit;
  std::string platform;
  std::string signature;         // pinned: what replay compares with
  Finding finding;               // of that signature
  std::vector<Finding> further;  // what else the run showed, in order (keep_going)
  Case failing;                  // "case"
  RunOptions options;
  std::uint64_t trace_hash = 0;  // of `failing` under `options` on `platform`
  std::vector<std::string> variants;
  std::uint64_t seed = 0;
  std::uint64_t case_index = 0;
  Selection selection;
  std::optional<MinimisedNote> minimised;
  // Of a failure that depends on the schedule: from which step on it no longer does.
  std::optional<Certainty> certain;
  std::optional<Case> original_case;  // before minimising
  std::optional<FlakyNote> flaky;

  bool operator==(const Repro&) const = default;
};

// One sentence: file, JSON path, value and what is allowed.
struct ReproError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Indented JSON with a newline at its end; equal repros give equal text.
std::string to_text(const Repro& repro);

// Throws ReproError; its text starts with `name`, the file's.
Repro repro_from_text(std::string_view text, std::string_view name);

// Throws ReproError for a file that cannot be read, is too large, or is no repro file.
Repro read_repro(const std::filesystem::path& path);

// "barrier-divergence-allreduce-two_stage_uniform-divergent_barrier-1f2e3d4c": the file name of a
// finding without ".json". The hash is of the signature.
std::string repro_stem(const Repro& repro);

}  // namespace rankle
