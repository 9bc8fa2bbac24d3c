// SPDX-License-Identifier: Apache-2.0
// What a fuzzing run, or several shards of one, found: verdicts, and what no finding is worth.
#pragma once

#include <optional>
#include <string>

#include "cli/options/arguments.hpp"
#include "harness/report/fuzzed.hpp"
#include "harness/scenario/scenario.hpp"

namespace lockproof::cli {

/// Fills in the properties: found against expected.
void judge(harness::FuzzReport& report, const std::optional<harness::Expectations>& expected);
/// For people, with the command that reproduces as its last line.
[[nodiscard]] std::string fuzz_text(const harness::FuzzReport& report, const harness::Style& style);
/// Writes what --out, --junit and --format ask for. Answers the exit code.
int show(const harness::FuzzReport& report, const Arguments& arguments);
/// The violation of the property that comes first in the catalogue; null if nothing was found that counts by itself.
[[nodiscard]] const harness::FuzzViolation* worst(const harness::FuzzReport& report);
/// The command that shows the first finding again, or, without one or where a seed does not make it, all of it.
[[nodiscard]] std::string reproduce_text(const harness::FuzzReport& report);

}  // namespace lockproof::cli
