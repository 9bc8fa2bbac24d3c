// SPDX-License-Identifier: Apache-2.0
// Question: what a program is told to do, and which of its words answer that.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/program/said.hpp"

namespace lockproof::harness {

inline constexpr std::int64_t protocol_version = 1;

enum class Question : std::uint8_t { nothing, acquire, touch, extend, release };

[[nodiscard]] std::string_view name(Question question);
[[nodiscard]] bool answers(ProgramLine::Word word, Question question);
/// The line, without its end. `round`: of an acquire.
[[nodiscard]] std::string line_of(Question question, int round);

}  // namespace lockproof::harness
