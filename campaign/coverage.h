// Which kinds of case have run: one cell for each combination of what decides the way through a
// kernel. A campaign shows the share of cells that it has hit, keeps them, and lists what it has
// never tried, because days without a finding say nothing about what was never run.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "generators/case.h"
#include "generators/contract.h"
#include "generators/generate.h"
#include "harness/verdict.h"

namespace rankle {

enum class CellField { target, variant, dtype, world, tail, alignment, pattern, policy };
inline constexpr std::size_t kCellFields = 8;

// "target", "variant", ... as in coverage.json.
std::string_view name_of(CellField field);

// One value for each CellField, in its order.
using Cell = std::array<std::string, kCellFields>;

// A class of each is: how the message splits into tiles ("complete tiles", "partial tile",
// "tail of one pack", "unequal parts"); where buffers lie ("aligned", "one offset", "offsets
// differ"); what its steps are about ("one call", "rounds", "graph", "branches", "buffers",
// "communicators", "streams").
std::string tail_class(const Case& c);
std::string alignment_class(const Case& c);
std::string step_pattern(const Case& c);

// The cells that a run went through: one for each variant that its ranks chose.
std::vector<Cell> cells_of(const Case& c, const Verdict& verdict);

// May be used by several threads.
class Coverage {
 public:
  // Cells are counted against what these contracts and the draw allow.
  Coverage(const std::vector<Contract>& contracts, const Draw& draw);

  // Returns how many of the cells are new.
  std::size_t add(const std::vector<Cell>& cells, std::uint64_t hits = 1);

  // Sorted, with how often each was hit.
  std::vector<std::pair<Cell, std::uint64_t>> cells() const;
  std::size_t hit() const;
  // Number of cells that can be hit. Which variants a target has is known from runs alone, so the
  // space grows with them; some combinations may be out of reach (a message of one pack has no
  // unequal parts).
  std::size_t space() const;
  double share() const;  // hit / space, 0 to 1
  std::size_t hit_of(const std::string& target) const;
  std::size_t space_of(const std::string& target) const;

  // What was never hit, at most `lines_max` lines, the most general first: a value that never came
  // ("allreduce/auto: never policy pct"), then pairs of values. The last line counts the cells.
  std::vector<std::string> never_hit(std::size_t lines_max) const;

 private:
  // The values that a field can take in cells of one target, `variant` as far as known.
  using Axes = std::array<std::vector<std::string>, kCellFields>;
  void learn_variant(const std::string& target, const std::string& variant);
  static std::size_t space_of(const Axes& axes);
  std::uint64_t key_of(const Cell& cell);
  Cell cell_of(std::uint64_t key) const;

  mutable std::mutex mutex_;

  std::map<std::string, Axes> axes_;
  // Cells run into the hundred thousands, so they are kept as numbers of their values.
  std::array<std::vector<std::string>, kCellFields> values_;
  std::array<std::map<std::string, std::uint64_t>, kCellFields> numbers_;
  std::unordered_map<std::uint64_t, std::uint64_t> hits_;
  std::map<std::string, std::size_t> hit_of_;  // cells by target
};

// {"schema": 1, "cells": [{"target": .., .., "hits": N}], "space": N}, and back: cells that cannot
// be read are passed over. Throws nlohmann::json::exception for a text that is no JSON.
std::string to_text(const Coverage& coverage);
void add_from_text(Coverage& coverage, std::string_view text);

}  // namespace rankle
