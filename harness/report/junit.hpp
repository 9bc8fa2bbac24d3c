// SPDX-License-Identifier: Apache-2.0
// JUnit: verdicts as continuous integration reads them. The document is valid by the schema of Jenkins, and each of its
// suites by that of Maven Surefire; both lie in tests/cli/schemas. So the file stands in the name and as a property: as
// an attribute only the former allows it.
#pragma once

#include <string>
#include <vector>

#include "harness/report/verdicts.hpp"

namespace lockproof::harness {

/// One suite for each run, one case for each property: a failed expectation is a failure, one that could not be decided
/// is an error, and what was not judged or not compared is skipped, each with the reason. A file that could not be read
/// is a suite with one error.
[[nodiscard]] std::string junit(const std::vector<RunReport>& reports,
                                const std::vector<UnreadableFile>& unreadable = {});

}  // namespace lockproof::harness
