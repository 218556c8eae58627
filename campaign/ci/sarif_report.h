// A run as SARIF 2.1.0 (OASIS), which code hosts read to show findings at their source lines. A
// rule is a kind of finding; the fingerprint of a result is that of its signature, so that the same
// bug is one alert over many runs.
#pragma once

#include <string>

#include "campaign/ci/run_record.h"

namespace rankle {

std::string sarif_report(const RunRecord& record);

}  // namespace rankle
