// SPDX-License-Identifier: Apache-2.0
// PatternCost: how many steps Lua's pattern matcher is about to take. It tries one alternative after the other, and the
// number of them can double with each character of the pattern; nothing can stop it. So the same alternatives are
// gone through here before, and counted. What matches is still for Lua's own matcher to say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lockproof::lua {

/// Steps to search the subject from this position on; where the pattern is malformed, those until Lua finds out.
/// `matches`: after how many the search ends. `anchors`: whether ^ at the beginning is an anchor. More than `most`:
/// it is not known how many more.
[[nodiscard]] std::uint64_t pattern_cost(std::string_view subject, std::string_view pattern, std::size_t from,
                                         std::uint64_t matches, bool anchors, std::uint64_t most);

}  // namespace lockproof::lua
