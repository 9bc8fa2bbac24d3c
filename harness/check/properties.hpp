// SPDX-License-Identifier: Apache-2.0
// Properties: what is judged. Each is a pure function of a history (and of the bounds that the scenario states), one
// file each. docs/semantics/properties.md defines the terms: inside, entitled, owner.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/history/history.hpp"
#include "harness/scenario/scenario.hpp"

namespace lockproof::check {

enum class Verdict : std::uint8_t {
  holds,      // in every schedule within the stated bounds
  not_found,  // nothing was found in the runs that were made
  violated,
  unknown,  // because of a limit, a checker that failed, or a fault that cannot be injected here
};
[[nodiscard]] std::string_view name(Verdict verdict);

struct Finding {
  std::string property;
  Verdict verdict = Verdict::not_found;
  std::string kind;                 // kind of the violation: "double-grant", "outlived"
  std::string what;                 // a sentence for a person
  std::vector<std::size_t> events;  // the events of the history that show it, in order
  bool judged = true;               // false: the scenario states no bound for it, or this history cannot tell
  bool kind_known = true;           // false: a violation whose kind this history does not determine
  bool lasts = false;               // a bound of time was missed that would be missed however long it were
  bool undecidable = false;         // the scenario or the program must be changed before any run can decide it
};

/// No other run would decide it either: the evidence that this property needs is not there.
[[nodiscard]] inline bool cannot_be_seen(const Finding& f) {
  return f.verdict == Verdict::unknown && (!f.judged || f.undecidable);
}

/// A violation of the property under way, or nothing found.
[[nodiscard]] Finding mutual_exclusion(const harness::History&, const harness::Scenario&);
[[nodiscard]] Finding resource_safety(const harness::History&, const harness::Scenario&);
[[nodiscard]] Finding owner_release(const harness::History&, const harness::Scenario&);
[[nodiscard]] Finding bounded_takeover(const harness::History&, const harness::Scenario&);
[[nodiscard]] Finding deadlock_freedom(const harness::History&, const harness::Scenario&);
[[nodiscard]] Finding fault_tolerance(const harness::History&, const harness::Scenario&);
[[nodiscard]] Finding starvation_freedom(const harness::History&, const harness::Scenario&);
[[nodiscard]] Finding re_entrancy(const harness::History&, const harness::Scenario&);
[[nodiscard]] Finding loss_notification(const harness::History&, const harness::Scenario&);
[[nodiscard]] Finding availability(const harness::History&, const harness::Scenario&);
[[nodiscard]] Finding once_per_period(const harness::History&, const harness::Scenario&);
[[nodiscard]] Finding grant_is_valid(const harness::History&, const harness::Scenario&);
[[nodiscard]] Finding fencing_order(const harness::History&, const harness::Scenario&);
[[nodiscard]] Finding renewal_rate(const harness::History&, const harness::Scenario&);
[[nodiscard]] Finding every_round_enters(const harness::History&, const harness::Scenario&);
[[nodiscard]] Finding leadership_settles(const harness::History&, const harness::Scenario&);
[[nodiscard]] Finding hand_over_cause(const harness::History&, const harness::Scenario&);
[[nodiscard]] Finding exercised(const harness::History&, const harness::Scenario&);
[[nodiscard]] Finding answers(const harness::History&, const harness::Scenario&);
[[nodiscard]] Finding survives(const harness::History&, const harness::Scenario&);

class Monitor;

struct Property {
  std::string_view name;
  std::string_view broken_when;
  Finding (*check)(const harness::History&, const harness::Scenario&);
  /// The same, event by event, where a search over all schedules can judge it. See monitor.hpp.
  std::unique_ptr<Monitor> (*watch)(const harness::Header&, const harness::Scenario&) = nullptr;
  /// Where the scenario states its bound; a property without the bound that it needs is not judged.
  std::optional<Duration> harness::Scenario::*bound = nullptr;
  std::string_view bound_key = {};  // "[judge] takeover"
  /// Whether the property needs to know what the servers did to the key; what clients saw does not suffice.
  bool needs_servers = false;
  /// The clocks that its monitor reads in events.
  enum class Clocks : std::uint8_t { none, of_servers, of_all } clocks = Clocks::none;
  /// It reads them only where the lock is a program.
  bool clocks_of_programs = false;
  /// For how many holders at once it has a meaning: any; one writer or several readers; or one.
  enum class Holders : std::uint8_t { any, readers, one } holders = Holders::any;
};
[[nodiscard]] inline Property::Clocks clocks_read(const Property& p, const harness::Scenario& s) {
  return p.clocks_of_programs && !s.program ? Property::Clocks::none : p.clocks;
}
[[nodiscard]] inline bool states_bound(const Property& p, const harness::Scenario& s) { return !p.bound || s.*p.bound; }
/// A program says what it claims ([algorithm] claims), and what it does not claim is not judged.
[[nodiscard]] bool is_claimed(const Property& property, const harness::Scenario& scenario);
/// Whether a program's lock is a key, and it is known which, if the property is judged by that alone.
[[nodiscard]] bool has_key(const Property& property, const harness::Scenario& scenario);
/// Whether the lock has no more holders at once than the property has a meaning for.
[[nodiscard]] inline bool fits_holders(const Property& p, const harness::Scenario& s) {
  return p.holders == Property::Holders::any || !s.has_several_holders() ||
         (p.holders == Property::Holders::readers && s.permits() == 1);
}
[[nodiscard]] inline bool is_judged(const Property& p, const harness::Scenario& s) {
  return states_bound(p, s) && is_claimed(p, s) && has_key(p, s) && fits_holders(p, s);
}
[[nodiscard]] Finding not_claimed();
/// Not judged where the lock is no key; where it is not known which key it is, `unknown`.
[[nodiscard]] Finding without_key(const harness::Scenario& scenario);
/// Whether nobody got the program's lock in a run without any fault, so that no fault is the cause of anything.
[[nodiscard]] bool is_never_granted(const harness::Scenario& scenario);
/// The finding for a property that was not checked.
[[nodiscard]] Finding not_judged(const Property& property);
/// Not judged, for this reason: there is nothing to judge it by.
[[nodiscard]] Finding without_evidence(std::string_view why);
inline constexpr std::string_view no_token = "no grant carries a fencing token";
inline constexpr std::string_view several_holders = "this lock may have several holders at once";
inline constexpr std::string_view runs_only = "a search does not count commands, runs do";
/// `unknown`: the property needs to know what the servers did, and the history does not record it.
[[nodiscard]] Finding not_seen(const Property& property);
/// Of every scenario.
[[nodiscard]] std::span<const Property> properties();
/// Of a scenario that states their bound.
[[nodiscard]] std::span<const Property> properties_asked_for();
/// Of a scenario whose lock is a program of its own.
[[nodiscard]] std::span<const Property> properties_of_programs();
[[nodiscard]] bool is_asked_for(const Property& property);
[[nodiscard]] bool is_of_programs(const Property& property);
/// Those of all three that concern the scenario, in this order.
[[nodiscard]] std::span<const Property> properties_of(const harness::Scenario& scenario);
/// All that a scenario could ask for, in the same order.
[[nodiscard]] std::span<const Property> every_property();
/// Of all properties, those of programs too.
[[nodiscard]] std::vector<std::string_view> names();
/// The words that [expect] may use: verdicts and kinds of violation.
[[nodiscard]] std::vector<std::string> expectable();
/// The words for a search for schedules in which a client never gets the lock.
[[nodiscard]] std::vector<std::string> liveness_expectable();

/// These properties. A checker that throws gives `unknown`; what a program does not claim is not judged.
[[nodiscard]] std::vector<Finding> judge(const harness::History& history, const harness::Scenario& scenario,
                                         std::span<const Property> asked);
/// All that concern the scenario's lock.
[[nodiscard]] std::vector<Finding> judge(const harness::History& history, const harness::Scenario& scenario);
/// `unknown` for all, with one reason: this run did not take place.
[[nodiscard]] std::vector<Finding> all_unknown(const std::string& reason);

/// "client-2 at 3.002 s", for the checkers' sentences.
[[nodiscard]] std::string place(const harness::Header& header, const harness::Event& event);
[[nodiscard]] inline std::string place(const harness::History& history, const harness::Event& event) {
  return place(history.header, event);
}
[[nodiscard]] std::string seconds_text(Duration d);

}  // namespace lockproof::check
