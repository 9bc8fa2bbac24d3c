// SPDX-License-Identifier: Apache-2.0
// What a scenario expects of each world: the table [expect].
#pragma once

#include <string>

#include "harness/scenario/file/document.hpp"
#include "harness/scenario/scenario.hpp"

namespace lockproof::harness {

[[nodiscard]] Expect read_expect(const std::string& file, const Node& node);

}  // namespace lockproof::harness
