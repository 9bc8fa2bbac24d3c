// SPDX-License-Identifier: Apache-2.0
// How the commands of a program are named: verbs in capitals; a script by the first digits of its SHA-1, whether it is
// sent or named; a statement of SQL by the function of advisory locks that it calls, or by its first word.
#pragma once

#include <string>
#include <string_view>

#include "algorithms/port/command.hpp"

namespace lockproof::harness {

/// "SET", "EVALSHA:0f0f", "EVAL:0f0f", "UPDATE", "PG_ADVISORY_UNLOCK".
[[nodiscard]] std::string event_verb(const Command& command);
/// The command as histories have it: under that name, without the script's text.
[[nodiscard]] Command recorded(const Command& command);
/// Whether a server may keep the command waiting.
[[nodiscard]] bool waits_in_server(std::string_view verb);

}  // namespace lockproof::harness
