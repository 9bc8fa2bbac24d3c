// SPDX-License-Identifier: Apache-2.0
// Faults that are an operator's command to a server: the same in the simulator and on real servers.
#pragma once

#include <optional>

#include "algorithms/port/command.hpp"
#include "harness/scenario/fault.hpp"

namespace lockproof::harness {

/// What is typed; nothing: the fault is of another kind.
[[nodiscard]] std::optional<Command> operators_command(const Fault& fault);

}  // namespace lockproof::harness
