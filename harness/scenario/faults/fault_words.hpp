// SPDX-License-Identifier: Apache-2.0
// The templates in the table of faults.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "harness/scenario/fault_table.hpp"

namespace lockproof::harness {

/// By the name of a placeholder; one without a value is not here.
using Amounts = std::map<std::string, std::string, std::less<>>;

/// "{time}" becomes its value, or nothing. "[ for {time}]" is there only if all of its placeholders have values;
/// "[{peer}|all others]" has the second part otherwise. Brackets may be nested.
[[nodiscard]] std::string fill(std::string_view words, const Amounts& amounts);

[[nodiscard]] std::string_view name(FaultRow::Action action);
[[nodiscard]] std::string_view name(FaultRow::Clocks clocks);

}  // namespace lockproof::harness
