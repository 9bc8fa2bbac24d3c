// SPDX-License-Identifier: Apache-2.0
// Reads one [[fault]]: what strikes, whom, when, and what its kind needs to know.
#pragma once

#include "harness/scenario/file/fields.hpp"
#include "harness/scenario/scenario.hpp"

namespace lockproof::harness {

/// `kind`: one that there is …
[[nodiscard]] FaultKind known_kind(Fields& fields);
/// … and that the scenario's service can have.
[[nodiscard]] FaultKind read_kind(Fields& fields, const Scenario& s);
/// The scenario's clients and servers must have been read. All throw InputError.
[[nodiscard]] Fault read_fault(Fields fields, const Scenario& s);
/// Of an event named under `key`: round 0 comes before the first one, where only programs do anything.
void check_round(Fields& fields, const Node& node, const Scenario& s, std::string_view key, int round);
[[nodiscard]] std::vector<std::string> read_notified_clients(Fields& fields, const Node& notified, const Scenario& s);

}  // namespace lockproof::harness
