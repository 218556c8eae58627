// Whether cases are programs of all kinds of steps (captures, replays, registrations, ...), or
// rounds of plain calls. Programs are tiny or small.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace rankle {

enum class Programs { none, mixed, only };

std::string_view name_of(Programs programs);
std::optional<Programs> programs_from(std::string_view name);
std::span<const Programs> all_programs();

}  // namespace rankle
