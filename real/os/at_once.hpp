// SPDX-License-Identifier: Apache-2.0
// Work that mostly waits for real time to pass, all of it at once, each piece in a process of its own.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace lockproof::real {

/// What each piece answers, in their order. Throws BadEnvironment with what a piece threw, once all have ended.
/// This process must have no other threads.
[[nodiscard]] std::vector<std::string> at_once(const std::vector<std::function<std::string()>>& pieces);

}  // namespace lockproof::real
