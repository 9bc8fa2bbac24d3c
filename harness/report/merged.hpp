// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/report/fuzzed.hpp"

namespace lockproof::harness {

/// The report of one shard of a fuzzing run.
struct FuzzPart {
  std::string file;  // for messages
  FuzzReport report;
};

/// The report of the whole fuzzing run, without verdicts on its properties. Throws InputError if the parts are not of
/// one fuzzing run, if one is missing, or if one is there twice. There must be at least one.
[[nodiscard]] FuzzReport merged(const std::vector<FuzzPart>& parts);

}  // namespace lockproof::harness
