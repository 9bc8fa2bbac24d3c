// SPDX-License-Identifier: Apache-2.0
// Reading a command's words as Redis does, and the error texts that many commands share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "algorithms/port/value.hpp"

namespace lockproof::sim::redis {

inline constexpr const char* not_an_integer = "ERR value is not an integer or out of range";
inline constexpr const char* syntax_error = "ERR syntax error";
inline constexpr const char* wrong_type = "WRONGTYPE Operation against a key holding the wrong kind of value";
inline constexpr const char* would_overflow = "ERR increment or decrement would overflow";
inline constexpr const char* no_script = "NOSCRIPT No matching script. Please use EVAL.";
inline constexpr const char* no_replicas = "NOREPLICAS Not enough good replicas to write.";
inline constexpr const char* read_only = "READONLY You can't write against a read only replica.";

/// Decimal and in the one form that Redis takes: no "007", no "-0", no "+1", no blanks.
[[nodiscard]] std::optional<std::int64_t> integer(const Value& word);
/// An instant of the node's wall clock as it is sent to replicas, marked as an instant: a world's encoding counts it
/// from now.
[[nodiscard]] Value stamp_word(std::int64_t ms);
/// Whether it equals this word, which is given in upper case; the case of the argument does not matter.
[[nodiscard]] bool is_word(const Value& word, std::string_view upper);
[[nodiscard]] std::string lower(std::string_view text);
[[nodiscard]] std::string upper(std::string_view text);
/// An error text as RESP allows it: without line ends.
[[nodiscard]] std::string one_line(std::string text);

}  // namespace lockproof::sim::redis
