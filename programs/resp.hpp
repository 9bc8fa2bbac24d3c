// SPDX-License-Identifier: Apache-2.0
// Redis's protocol as a server speaks it: commands from bytes, and replies to bytes, in RESP2 or RESP3.
#pragma once

#include <optional>
#include <string>

#include "algorithms/port/command.hpp"

namespace lockproof::programs {

/// Takes the first command off the front of `bytes`, named as in histories. Nothing: it is not complete yet.
/// Throws BadEnvironment for what is no command: another protocol, or TLS.
[[nodiscard]] std::optional<Command> take_command(std::string& bytes);

/// In this version of the protocol. `of_pairs`: it is a map, which RESP2 has as an array.
[[nodiscard]] std::string to_resp(const Reply& reply, int version = 2, bool of_pairs = false);
/// Whether the command's answer is a map.
[[nodiscard]] bool answers_with_pairs(const Command& command);
/// The version that a connection has after this command, if the server agrees: HELLO sets it. `before`: else.
[[nodiscard]] int version_after(const Command& command, int before);

}  // namespace lockproof::programs
