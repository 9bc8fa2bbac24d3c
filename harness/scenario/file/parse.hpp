// SPDX-License-Identifier: Apache-2.0
// Reads a scenario. docs/reference/scenario.md is its description for people.
#pragma once

#include <string>
#include <string_view>

#include "harness/input_error.hpp"
#include "harness/scenario/scenario.hpp"

namespace lockproof::harness {

/// Throws InputError: file, line, what is wrong, the nearest valid choice. `file` is used in messages and for the name.
/// `algorithm`: another lock than the one that is written there, with those of its parameters that it knows, and the
/// standard for the others; nothing is expected of it. Null: the lock that is written there.
[[nodiscard]] Scenario parse_scenario(const std::string& file, std::string_view text,
                                      const AlgorithmRef& algorithm = {});
/// The same, from a file on disk. "b-twin.toml" is the twin of "b.toml", if that has a [twin].
[[nodiscard]] Scenario load_scenario(const std::string& file, const AlgorithmRef& algorithm = {});
/// Whether a file has a [twin]. One that cannot be read has none: who loads it is told.
[[nodiscard]] bool has_twin(const std::string& file);
/// What is in a file. Throws InputError if there is none.
[[nodiscard]] std::string text_of(const std::string& file);

}  // namespace lockproof::harness
