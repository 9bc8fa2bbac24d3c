// SPDX-License-Identifier: Apache-2.0
// The sentences of an explanation, as templates: what was believed, by the property that broke, and which assumption
// did, by the fault. A template names the events that it speaks of; in a history without them it says nothing.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/check/expectation.hpp"
#include "harness/check/properties.hpp"
#include "harness/history/history.hpp"
#include "harness/scenario/fault.hpp"

namespace lockproof::harness {

struct BeliefTemplate {
  std::string_view property, kind;  // no kind: any
  std::string_view lead;            // what was wrong, for somebody who does not know the property's name
  std::vector<What> needs;          // each of them has happened
  std::string_view says = {};       // the finding has these words
};

/// A fault without which a search finds nothing, and what is known of it.
struct NeededFault {
  Fault fault;
  bool has_lock = true;    // it strikes whoever has been granted the lock, for a lease
  std::string bound = {};  // "pause <= lease - work": broken by it, and kept to, a search finds nothing; or empty
};

[[nodiscard]] std::span<const BeliefTemplate> belief_templates();

/// "Two clients were inside at once …: client-2 at 10.050 s entered while …". Empty: its events are not there.
[[nodiscard]] std::string believed(const History& history, const check::Finding& finding);
/// The first sentence of an explanation, of the worst property that these findings call violated; it needs no search.
/// Empty: none of them does, or its events are not there.
/// `property`: of this one, if it is named.
[[nodiscard]] std::string first_sentence(const History& history, const std::vector<check::Finding>& findings,
                                         std::string_view property = "");
[[nodiscard]] std::string first_sentence(const History& history, const std::vector<check::ComparedFinding>& properties);
/// The worst violation among these findings. Null: there is none.
[[nodiscard]] const check::Finding* worst_of(const std::vector<check::Finding>& findings,
                                             std::string_view property = "");
/// What the scenario's faults took away from the lock, a clause for each that has struck; "" if one is needed and has
/// not.
[[nodiscard]] std::string assumed(const History& history, const std::vector<NeededFault>& faults);

/// What became of a history with one thing changed: searched, in every schedule.
struct ExplainedRemedy {
  std::string what;  // "without the pause of client-1 for 11s"
  bool mends = false, unknown = false;
  std::uint64_t states = 0;
};

struct ExplainedReport {
  std::string file, title, property, kind;
  std::string belief, assumption, decisive, prevention, sources;
  std::vector<ExplainedRemedy> remedies;
  std::string reproduce;
};

[[nodiscard]] std::string explained_text(const ExplainedReport& report);
[[nodiscard]] std::string explained_json(const ExplainedReport& report);

}  // namespace lockproof::harness
