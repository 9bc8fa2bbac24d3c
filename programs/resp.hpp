// SPDX-License-Identifier: Apache-2.0
// Redis's protocol as a server speaks it: commands from bytes, and replies to bytes (RESP2).
#pragma once

#include <optional>
#include <string>

#include "algorithms/port/command.hpp"

namespace lockproof::programs {

/// Takes the first command off the front of `bytes`, named as in histories. Nothing: it is not complete yet.
/// Throws BadEnvironment for what is no command: another protocol, or TLS.
[[nodiscard]] std::optional<Command> take_command(std::string& bytes);

[[nodiscard]] std::string to_resp(const Reply& reply);

}  // namespace lockproof::programs
