// SPDX-License-Identifier: Apache-2.0
// Reads [expect], what a scenario expects of each world, and [twin]: the same scenario without its cause, which is
// derived and not copied. It is called as its scenario, with "-twin" behind the name, and stands in the same file.
#pragma once

#include <string>

#include "harness/scenario/file/fields.hpp"
#include "harness/scenario/scenario.hpp"

namespace lockproof::harness {

[[nodiscard]] Expect read_expect(const std::string& file, const Node& node);

/// "a/b-twin.toml" of "a/b.toml".
[[nodiscard]] std::string twin_file(const std::string& file);
/// "a/b.toml" of "a/b-twin.toml"; empty if this is no twin's name.
[[nodiscard]] std::string file_of_twin(const std::string& file);

/// `derive`: makes the twin of the scenario, which has been read up to its faults, its steps and what is expected of
/// it. Else the table is only checked. Throws InputError.
void read_twin(const std::string& file, const Node& node, bool derive, Scenario& s);

}  // namespace lockproof::harness
