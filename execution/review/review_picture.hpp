// SPDX-License-Identifier: Apache-2.0
// A small picture of a violation: who is inside when, and where a fault strikes.
#pragma once

#include <string>
#include <vector>

#include "harness/report/answers/reviewed.hpp"

namespace lockproof::execution {

/// "client-1 ..===!=..": a line for each client, and for each server that is struck. '=' is work inside the lock, '!' a
/// fault. Runs the cause's scenario; empty if that has no event of a client inside.
[[nodiscard]] std::vector<std::string> small_picture(const harness::ReviewCause& cause, const std::string& name);

}  // namespace lockproof::execution
