// SPDX-License-Identifier: Apache-2.0
// Deadlock freedom (progress): as long as a client wants the lock and none has it, one gets it within the time that the
// scenario allows ([judge] progress). The kinds: `orphaned`, the lock's key exists and belongs to no attempt in
// progress; `lost-wakeup`, the lock is free and no client has tried since; `livelock`, attempts go on and all fail.
// Dijkstra, "Solution of a problem in concurrent programming control", 1965; Lynch, "Distributed Algorithms", 10.2.
#include "harness/check/standstill.hpp"

namespace lockproof::check {

std::unique_ptr<Monitor> watch_deadlock_freedom(const harness::Header& header, const harness::Scenario& scenario) {
  return std::make_unique<Standstill>(header, scenario, Standstill::While::all_servers_are_up);
}

Finding deadlock_freedom(const harness::History& history, const harness::Scenario& scenario) {
  return judge_with(watch_deadlock_freedom, history, scenario);
}

}  // namespace lockproof::check
