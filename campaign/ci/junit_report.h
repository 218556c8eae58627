// A run as JUnit XML, in the form that Ant's task began and Jenkins, GitLab and others read: one
// <testsuite> for each suite of the record. tests/campaign/ci/junit.xsd says what is written.
#pragma once

#include <string>

#include "campaign/ci/run_record.h"

namespace rankle {

std::string junit_report(const RunRecord& record);

}  // namespace rankle
