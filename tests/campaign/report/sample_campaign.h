// A campaign directory as a stress run leaves it, with everything that a report shows and texts
// that try to become markup. Written by hand, so that reports are tested against the format and not
// against the code that writes it.
#pragma once

#include <filesystem>

namespace rankle::test {

// What a stranger may have put into a finding's texts.
inline constexpr const char* kHostileText =
    "</script><script>window.pwned=1</script><img src=x onerror=\"window.pwned=2\"> & \"quotes\"";

// Fills `folder`, which is made. 8640 progress events over one day, two open findings, a flaky one
// and a fixed one, 1,500 coverage cells of which some were never hit, three mutants.
void write_sample_campaign(const std::filesystem::path& folder);

}  // namespace rankle::test
