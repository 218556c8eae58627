// Where the litmus sources say `// RACE mark`: so that the table names lines by function and mark,
// and no line number goes stale.
#pragma once

#include <map>
#include <string>

namespace rankle::sim::litmus {

// Line numbers by "function mark". Functions of the litmus sources begin in the first column.
// `file` is relative to the repository.
std::map<std::string, int> marks_of(const std::string& file);

}  // namespace rankle::sim::litmus
