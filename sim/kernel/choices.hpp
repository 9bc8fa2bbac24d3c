// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace lockproof::sim {

/// The answers that led through a schedule, in the order in which the world asked: which event, how long, which fault.
using Choices = std::vector<std::uint16_t>;

}  // namespace lockproof::sim
