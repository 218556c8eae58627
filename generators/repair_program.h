// Makes a program of what is left of one. Private to this folder.
#pragma once

#include <vector>

#include "generators/case.h"
#include "generators/program_model.h"

namespace rankle::detail {

// The steps that the model takes, in order: captures and branches without an end or without
// contents go with it, checks judge the round that is there, and a last check is added for outputs
// that have none. Empty if nothing is left that a program could be made of.
std::vector<Step> repaired(const std::vector<Step>& steps, const ProgramSetting& setting);

// The same program with rounds, buffers and graphs numbered from 0 in the order of their first use,
// and without call shapes that no step names.
void renumber(Case& c);

// The calls of every replay in its place, without captures: each graph's inputs filled once, its
// recorded steps made at once.
std::vector<Step> without_graphs(const std::vector<Step>& program);

}  // namespace rankle::detail
