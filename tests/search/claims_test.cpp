// SPDX-License-Identifier: Apache-2.0
// What the catalogue says of each lock: every schedule of two clients with no fault, and with one of a process or of
// the network, breaks nothing that the lock claims.
#include <cstdlib>

#include "algorithms/catalogue.hpp"
#include "harness/scenario/file/parse_bounds.hpp"
#include "harness/scenario/services.hpp"
#include "search/reexecution/reexecution_engine.hpp"
#include "search/state_space/stateful_engine.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::sim::claims_test {
namespace {

struct Promise {
  Claim Claims::*claim;
  ViolationKind way;
};
const Promise promises[] = {{&Claims::double_grant, {"mutual-exclusion", "double-grant"}},
                            {&Claims::outlived, {"mutual-exclusion", "outlived"}},
                            {&Claims::owner_release, {"owner-release", ""}}};

/// What happens to who uses the lock, not to who keeps it: a server that forgets breaks every lock.
bool of_users(harness::FaultKind kind) {
  using harness::FaultKind;
  switch (kind) {
    case FaultKind::pause:
    case FaultKind::crash:
    case FaultKind::kill_task:
    case FaultKind::half_open:
    case FaultKind::delay:
    case FaultKind::resend:
    case FaultKind::retry:
    case FaultKind::break_connection:
    case FaultKind::partition: return true;
    default: return false;
  }
}

class Catalogue : public testing::TestWithParam<const Algorithm*> {};

TEST_P(Catalogue, KeepsItsClaims) {
  const Algorithm& algorithm = *GetParam();
  const harness::Scenario scenario = tests::scenario(
      "[workload]\nlease = \"10s\"\nwork = [\"read\", \"hold 6s\", \"write\"]\n"
      "[[client]]\nname = \"client-2\"\nstart = \"1s\"\n" +
          harness::servers_tables(algorithm, 3),
      std::string(algorithm.name));
  harness::Bounds budget = harness::load_budget(LOCKPROOF_SOURCE "/scenarios/budgets/one-server.toml", scenario);
  std::erase_if(budget.budget, [](const auto& entry) { return !of_users(entry.kind); });
  const bool stateful = stateful_engine_refuses(scenario, budget).empty();
  // With two failed attempts some take a minute: that is a slow test, and for locks of many commands, or in the slower
  // engine, too much.
  const bool many = algorithm.servers == Servers::all || algorithm.round_trips > 3;
  if (many || !stateful || std::getenv("LOCKPROOF_TWO_ATTEMPTS") == nullptr) budget.failed_attempts = 1;
  // No state of such a server comes back: with asks at any instant the space is too large for a test.
  if (harness::row_of(algorithm.service).counts_all) budget.contention = harness::Contention::as_written;
  const harness::Scenario explored = bounded(scenario, budget, true);
  const Exploration found = (stateful ? explore_stateful : explore_by_reexecution)(explored, budget, {});
  EXPECT_TRUE(found.complete);
  EXPECT_TRUE(found.acquired && found.contended);
  for (const Promise& promise : promises) {
    const auto broken = found.broken.find(promise.way);
    if (broken == found.broken.end()) continue;
    const Claim claim = algorithm.claims.*promise.claim;
    EXPECT_NE(claim, Claim::always) << promise.way.first << " " << promise.way.second << " with "
                                    << broken->second.faults;
    if (broken->second.faults > 0) continue;
    EXPECT_EQ(claim, Claim::never) << promise.way.first << " " << promise.way.second;
  }
}

std::vector<const Algorithm*> algorithms() {
  std::vector<const Algorithm*> all;
  for (const Algorithm& algorithm : catalogue()) all.push_back(&algorithm);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Of, Catalogue, testing::ValuesIn(algorithms()), [](const auto& one) {
  std::string name(one.param->name);
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace lockproof::sim::claims_test
