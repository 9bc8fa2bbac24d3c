// SPDX-License-Identifier: Apache-2.0
// Fault tolerance: as long as a majority of the servers is up, clients can acquire and release the lock (redis.io,
// "Distributed Locks with Redis", liveness property B). Judged as deadlock freedom is, while a minority is down.
#include "harness/check/by_lock.hpp"
#include "harness/check/standstill.hpp"

namespace lockproof::check {

std::unique_ptr<Monitor> watch_fault_tolerance(const harness::Header& header, const harness::Scenario& scenario) {
  return watch_each_lock(header, scenario, [](const harness::Header& of, const harness::Scenario& one) {
    return std::unique_ptr<Monitor>(
        std::make_unique<Standstill>(of, one, Standstill::ServerCondition::a_minority_is_down));
  });
}

Finding fault_tolerance(const harness::History& history, const harness::Scenario& scenario) {
  return judge_with(watch_fault_tolerance, history, scenario);
}

}  // namespace lockproof::check
