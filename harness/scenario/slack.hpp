// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/scenario/scenario.hpp"

namespace lockproof::harness {

/// What a lease leaves beside the work and its messages, of the client that has the least. Negative: the work takes
/// longer. Whether the lock's lease ends while its holder works is not asked. Requires clients and an algorithm.
[[nodiscard]] Duration lease_beside_work(const Scenario& scenario, const Window& latency);

}  // namespace lockproof::harness
