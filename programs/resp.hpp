// SPDX-License-Identifier: Apache-2.0
// Redis's protocol as a server speaks it: commands from bytes, and replies to bytes, in RESP2 or RESP3.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "algorithms/port/command.hpp"

namespace lockproof::programs {

/// Takes the first command off the front of `bytes`, named as in histories. Nothing: it is not complete yet.
/// Throws BadEnvironment for what is no command: another protocol, or TLS.
[[nodiscard]] std::optional<Command> take_command(std::string& bytes);

/// What RESP3 tells apart among the arrays of RESP2.
enum class Shape : std::uint8_t { list, pairs, push };

/// In this version of the protocol. `shape`: of the reply itself, not of what is in it.
[[nodiscard]] std::string to_resp(const Reply& reply, int version = 2, Shape shape = Shape::list);
/// Of the command's answer, unless that is an error.
[[nodiscard]] Shape shape_of_answer(const Command& command);
/// The version that a connection has after this command, if the server agrees: HELLO sets it. `before`: else.
[[nodiscard]] int version_after(const Command& command, int before);

}  // namespace lockproof::programs
