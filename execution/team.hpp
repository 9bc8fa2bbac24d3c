// SPDX-License-Identifier: Apache-2.0
// Team: threads that share parts of a work that do not depend on each other.
#pragma once

#include <cstddef>
#include <functional>

namespace lockproof::execution {

/// Calls `part` once with each number below `count`, from so many threads, one of them the caller's. `tell`: called
/// first with 0, and after each part with the number that have ended, from any of the threads. Throws what the first of
/// the parts in their order threw, after all have ended.
void share_among(unsigned workers, std::size_t count, const std::function<void(std::size_t)>& part,
                 const std::function<void(std::size_t done)>& tell);

}  // namespace lockproof::execution
