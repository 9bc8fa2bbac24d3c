// SPDX-License-Identifier: Apache-2.0
// What was executed of programs in virtual time, as every report says it.
#pragma once

#include <optional>
#include <string>
#include "harness/report/text/headed.hpp"

#include "harness/program/program_effort.hpp"

namespace lockproof::harness {

struct Scenario;

/// Of the scenario's programs, so far. Nothing if it has none in virtual time.
[[nodiscard]] std::optional<ExecutedPrograms> executed_of(const Scenario& scenario);
/// In lines, for people.
[[nodiscard]] std::string executed_text(const ExecutedPrograms& executed);
/// The object `programs` of results; of a run on real servers, it says the key alone.
[[nodiscard]] nlohmann::ordered_json executed_json(const ExecutedPrograms& executed);
[[nodiscard]] nlohmann::ordered_json key_json(const ProgramKey& key);
[[nodiscard]] std::string key_text(const ProgramKey& key);
/// What key_text wrote. Throws a std::exception if it is something else.
[[nodiscard]] ProgramKey key_from_text(const std::string& text);
/// What key_json wrote. Throws a std::exception if it is something else.
[[nodiscard]] ProgramKey key_from_json(const nlohmann::ordered_json& json);

}  // namespace lockproof::harness
