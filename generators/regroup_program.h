// Programs with the same calls in fewer groups: two graphs as one, a call beside a graph as a part
// of it. For bugs that need several calls in a row, whoever makes them. Private to this folder.
#pragma once

#include <vector>

#include "generators/case.h"

namespace rankle::detail {

// For each pair of captures: the second one's contents recorded behind the first one's, once with
// the replays of both and once with those of the first alone. Not in order: see repaired().
std::vector<std::vector<Step>> with_two_graphs_as_one(const std::vector<Step>& program);

// For each eager call: recorded first in the capture that follows, or last in the one before,
// without the fill that was its own.
std::vector<std::vector<Step>> with_a_call_recorded(const std::vector<Step>& program);

// For each call in a capture of several: without it, and every replay of the graph once more.
std::vector<std::vector<Step>> with_a_replay_for_a_call(const std::vector<Step>& program);

}  // namespace rankle::detail
