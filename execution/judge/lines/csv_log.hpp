// SPDX-License-Identifier: Apache-2.0
// CsvLog: a table of what workers did with the lock, as many tools export one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "execution/judge/lines/line_kind.hpp"

namespace lockproof::execution {

/// A column lock, key or name tells of which lock a line is. Nothing: the first line does not name columns for a time,
/// a worker and an event. Others are left out. Throws InputError: a row has no time, or fewer fields.
[[nodiscard]] std::optional<std::vector<WorkerLog>> workers_of_csv(const std::string& path,
                                                                   const std::vector<std::string_view>& lines,
                                                                   const LinePatterns& patterns);

}  // namespace lockproof::execution
