// SPDX-License-Identifier: Apache-2.0
// Runs pieces of work that mostly wait for real time at once, each in a process of its own.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace lockproof::real {

/// The results of the pieces, in their order. Throws BadEnvironment with what a piece threw, once all have ended. This
/// process must have no other threads.
[[nodiscard]] std::vector<std::string> at_once(const std::vector<std::function<std::string()>>& pieces);

}  // namespace lockproof::real
