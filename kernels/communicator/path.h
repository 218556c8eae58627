// Which way a call's input reaches the peers. One function, because every rank has to answer alike:
// it looks at nothing that may differ between ranks, such as an address or what a cache holds.
#pragma once

#include <string_view>

namespace rankle::kernels {

enum class Path {
  staged,      // copied into this rank's staging memory on the stream; peers read the copy
  registered,  // peers read the buffer itself, which all ranks have registered before
  captured     // recorded in a graph: peers read the buffer itself, registered after the capture
};

constexpr std::string_view name_of(Path path) {
  switch (path) {
    case Path::staged:
      return "staged";
    case Path::registered:
      return "registered";
    case Path::captured:
      return "captured";
  }
  return "unknown";
}

// What a call is to be judged by.
struct PathFacts {
  bool capturing = false;  // the stream is being captured
  bool registered =
      false;  // the input was registered, which is a step that all ranks make together
  bool wants_copy = false;  // the caller asks for the staging copy in any case
};

// Capture comes first: every captured call must leave one entry to be registered after it, and in
// the same order on every rank, whether or not a rank happens to know the buffer already. What is
// neither captured nor registered is copied, warm-up calls before a capture among them.
constexpr Path choose_path(const PathFacts& facts) {
  if (facts.capturing) return Path::captured;
  if (facts.registered && !facts.wants_copy) return Path::registered;
  return Path::staged;
}

}  // namespace rankle::kernels
