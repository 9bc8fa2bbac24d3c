// SPDX-License-Identifier: Apache-2.0
// What every JSON document of lockproof begins with, so that its readers know what they read.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "harness/scenario/case_reference.hpp"

namespace lockproof::harness {

/// An object: "schema_version" and "lockproof", and then what is in `body`, which must be an object too.
[[nodiscard]] nlohmann::ordered_json headed(const nlohmann::ordered_json& body);
/// The same as text, indented, with its newline. What is no UTF-8 is replaced.
[[nodiscard]] std::string document(const nlohmann::ordered_json& body);

/// That the scenario's program was not judged, instead of an answer: "virtual-time" cannot run it, or "never-granted".
[[nodiscard]] std::string refusal_json(const std::string& by, const std::string& why);

/// [case] as results have it.
[[nodiscard]] nlohmann::ordered_json documented_json(const CaseReference& documented);

}  // namespace lockproof::harness
