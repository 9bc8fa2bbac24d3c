// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/report/hunted.hpp"

namespace lockproof::harness {

/// The report of one shard of a hunt.
struct HuntedPart {
  std::string file;  // for messages
  HuntedReport report;
};

/// The report of the whole hunt, without verdicts on its properties. Throws InputError if the parts are not of one
/// hunt, if one is missing, or if one is there twice. There must be at least one.
[[nodiscard]] HuntedReport merged(const std::vector<HuntedPart>& parts);

}  // namespace lockproof::harness
