// SPDX-License-Identifier: Apache-2.0
// HeldLog: lines of workers that fit a pattern of their reader's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "execution/judge/lines/held_pattern.hpp"
#include "execution/judge/lines/line_kind.hpp"

namespace lockproof::execution {

/// A line without an event is an entry; one without a time of its own begins with one; one without a worker is of the
/// file's. Throws InputError: a line that fits has no time.
[[nodiscard]] std::vector<WorkerLog> workers_of_held(const std::string& path,
                                                     const std::vector<std::string_view>& lines,
                                                     const HeldPattern& pattern, const LinePatterns& patterns);

}  // namespace lockproof::execution
