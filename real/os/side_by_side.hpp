// SPDX-License-Identifier: Apache-2.0
// Several runs at the same time, each in a process of its own: a real run forks, and its children must not hold what
// belongs to another. The processes die with this one, and each cleans up behind itself.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace lockproof::real {

/// Does `work` for 0 to count - 1, at most `jobs` at once. `done` gets each answer here, in the order of the numbers.
/// Throws what went wrong: BadEnvironment as it is; another exception, or the end of a process, as std::runtime_error.
void side_by_side(std::size_t count, unsigned jobs, const std::function<std::string(std::size_t)>& work,
                  const std::function<void(std::size_t, std::string)>& done);

}  // namespace lockproof::real
