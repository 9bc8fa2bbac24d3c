// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/port/command.hpp"

namespace lockproof::sim {

/// Whether this command may take away what another command of the same instant has given: it deletes, overwrites or
/// shortens. A command that is not known may.
[[nodiscard]] bool may_undo(const Command& command);

}  // namespace lockproof::sim
