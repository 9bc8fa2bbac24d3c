// SPDX-License-Identifier: Apache-2.0
// Sweep: every kind of fault at every event of a program's runs without faults, each in a run of its own. Events are
// named by whose the lock is, so they are the same in every run; those that are not are left out, and said. A fault
// that holds something up ends soon after another client has entered, so that both meet.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "harness/history/history.hpp"
#include "harness/report/swept.hpp"
#include "harness/scenario/scenario.hpp"
#include "real/options.hpp"

namespace lockproof::execution {

struct SweepOrder {
  const harness::Scenario* scenario = nullptr;  // of a program, without faults
  std::vector<std::string> kinds;               // of faults, as the sweep names them; empty: all
  int repeat = 3;                               // runs of each fault that violated something, alone on the machine
  bool pairs = false;                           // a second fault behind each that violated nothing
  bool traced = false;                          // in virtual time: each strike is made once, and is final
  unsigned jobs = 4;
  std::stop_token stop{};   // ends all runs at once; what was found is the answer
  bool is_limited = false;  // it may be stopped: what is found is made again soon, and not when all is over
  real::Programs programs{};
  std::string out{};  // folder for the scenarios of what was found; empty: none
  std::function<void(const std::string& file, const std::string& text)> write{};  // … into it
  std::function<void(std::size_t made, std::size_t all)> progress{};
  /// The first time that a fault at a place violated something in this way.
  std::function<void(const harness::SweptReport::Strike& strike, const harness::SweptViolation& way)> found{};
};

/// The names of the kinds of faults that a sweep knows, in the order of its table.
[[nodiscard]] std::vector<std::string> sweep_kinds();
/// Those that this scenario's servers and clients can have.
[[nodiscard]] std::vector<std::string> sweep_kinds(const harness::Scenario& scenario);
/// The events of a run at which a fault can be placed, in their order; each once. How a client sets up its connections
/// before its first command for the lock is not among them: it may do so before or after its round begins.
[[nodiscard]] std::vector<harness::EventPlace> events_of(const harness::History& history);
/// The scenario with this kind of fault at this event. Without a fault: the kind does not apply there.
[[nodiscard]] harness::Scenario struck(const harness::Scenario& scenario, const std::string& kind,
                                       const harness::EventPlace& event);

/// The scenario with what this strike did.
[[nodiscard]] harness::Scenario struck(const harness::Scenario& scenario, const harness::SweptReport::Strike& strike);
/// A scenario for the first event of each group; the groups name its file in this folder.
void write_findings(harness::SweptReport& report, const harness::Scenario& scenario, const std::string& folder,
                    const std::function<void(const std::string& file, const std::string& text)>& write);

/// In which order strikes are made, each given by its kind: round by round over the kinds, and of each kind first those
/// that are far apart, so that a sweep that is stopped has tried every kind all over the run. Positions of the strikes.
[[nodiscard]] std::vector<std::size_t> order_in_rounds(const std::vector<std::string>& kinds);

/// Throws real::BadEnvironment where the program cannot make a run without faults, and harness::Stopped if it is
/// stopped before the first ended.
[[nodiscard]] harness::SweptReport sweep(const SweepOrder& order);

}  // namespace lockproof::execution
