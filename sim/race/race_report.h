// What the race detector found: two accesses, who and where, and which edge is missing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "sim/race/epoch.h"

namespace rankle::sim::race {

enum class RaceKind : std::uint8_t {
  data_race,         // unordered even if every flag that was seen had synchronised
  scope_race,        // ordered by a flag or fence whose scope does not reach the other side only
  relaxed_handoff,   // ordered by a flag that lacks release or acquire only
  wave_synchronous,  // two lanes of one wave, nothing but lockstep between them
};

// One of the two accesses.
struct Party {
  std::uintptr_t pc = 0;
  int rank = -1;
  int device = -1;          // -1: a host
  std::uint64_t tag = 0;    // OpStart::tag of its operation
  std::uint32_t block = 0;  // linear in the grid
  std::uint32_t thread = 0;
  bool is_write = false;
  bool is_atomic = false;
};

// One side of a flag access that synchronises less than the data needs.
struct FlagAccess {
  Party who;
  Order order = Order::relaxed;
  Scope scope = Scope::system;
};

// The edge at fault of a scope_race or relaxed_handoff. Several faults may hold at once.
struct MissingEdge {
  std::uintptr_t flag = 0;  // address of the word
  FlagAccess writer;
  FlagAccess reader;
  Scope distance = Scope::system;  // how far the two are apart: the scope that is needed
  bool scope_falls_short = false;
  bool lacks_release = false;
  bool lacks_acquire = false;
};

struct RaceReport {
  RaceKind kind = RaceKind::data_race;
  Scope level = Scope::system;  // wave, block, device or system: how far the threads are apart
  std::uintptr_t address = 0;   // first byte in common, as the later access has it
  std::size_t bytes = 0;        // from there to the last byte in common
  Party earlier;
  Party later;
  std::optional<MissingEdge> edge;  // none: data_race, wave_synchronous, or no longer remembered
};

using RaceSink = std::function<void(const RaceReport&)>;

std::string_view name_of(RaceKind kind);
std::string_view name_of(Scope scope);
std::string_view name_of(Order order);

}  // namespace rankle::sim::race
