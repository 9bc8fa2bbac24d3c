// SPDX-License-Identifier: Apache-2.0
// Programs that have two connections to a server, of which one is told of messages.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

#include "harness/check/properties.hpp"
#include "harness/input_error.hpp"
#include "search/core/exploration.hpp"
#include "search/reexecution/reexecution_engine.hpp"
#include "search/state_space/stateful_engine.hpp"
#include "sim/run.hpp"
#include "tests/programs/scenarios.hpp"
#include "tests/search/same_search.hpp"

namespace lockproof::second_connection_test {
namespace {

/// Of subscriber.py.
harness::Scenario of_subscriber(const std::string& how, const std::string& rest) {
  return tests::parsed(fmt::format("command = [\"{}\", \"subscriber.py\", \"{}\"]", tests::python, how),
                       "[workload]\nclients = 2\nlease = \"2s\"\nwork = [\"hold 900ms\"]\n[network]\nlatency = "
                       "\"5ms\"\n[judge]\nanswers = \"10s\"\nprogress = \"10s\"\n" +
                           rest);
}

/// By both engines.
sim::Exploration searched(const harness::Scenario& scenario) {
  const harness::Bounds bounds = scenario.explore.value();
  const harness::Scenario bounded = sim::bounded(scenario, bounds, false);
  const sim::Exploration found = sim::explore_stateful(bounded, bounds, {.estimate = false});
  EXPECT_TRUE(found.complete) << found.stopped;
  tests::expect_same_search(sim::explore_by_reexecution(bounded, bounds, {.estimate = false}), found);
  return found;
}

const std::string no_fault = "[explore]\nrounds = {}\nattempts = 1\nmax_faults = 0\n";
const std::string one_fault =
    "[explore]\nrounds = {}\nattempts = 2\nmax_faults = 1\n[[explore.fault]]\nkind = \"{}\"\n{}";

TEST(SecondConnection, AMessageEndsTheWait) {
  for (const char* const how : {"late", "early", "closes", "resp3", "channels"}) {
    int messages = 0, grants = 0;
    for (const harness::Event& event : sim::run(of_subscriber(how, ""), 1).events) {
      messages += event.what == harness::What::push && event.word == "released:lock";
      grants += event.what == harness::What::enter;
    }
    EXPECT_GT(messages, 0) << how;
    EXPECT_EQ(grants, 2) << how;
  }
}

TEST(SecondConnection, AMessageThatCameBeforeTheSubscriptionIsMissed) {
  for (const char* const how : {"late", "early", "resp3"}) {
    const std::string any_pause = fmt::format(fmt::runtime(one_fault), 1, "pause", "for = \"1s\"\n");
    const sim::Exploration found = searched(of_subscriber(how, any_pause));
    EXPECT_EQ(found.broken.contains({"answers", "acquire"}), std::string_view(how) == "late") << how;
    EXPECT_FALSE(found.broken.contains({"survives", "died"})) << "it dies of what it does not expect";
  }
}

TEST(SecondConnection, IsClosedAndOpenedAgainByItself) {
  const sim::Exploration found = searched(of_subscriber("closes", fmt::format(fmt::runtime(no_fault), 2)));
  EXPECT_FALSE(found.broken.contains({"survives", "died"}));
  EXPECT_GT(found.states, searched(of_subscriber("closes", fmt::format(fmt::runtime(no_fault), 1))).states);
}

TEST(SecondConnection, EndsWithItsServerAndWithTheConnectionsOfItsClient) {
  const std::pair<const char*, const char*> faults[] = {
      {"break-connection", ""}, {"restart", "for = \"100ms\"\n"}, {"half-open", ""}, {"crash", ""}};
  for (const auto& [kind, more] : faults) {
    const sim::Exploration found =
        searched(of_subscriber("early", fmt::format(fmt::runtime(one_fault), 1, kind, more)));
    EXPECT_GT(found.of_budget.size(), 0u) << kind << " never struck";
    EXPECT_FALSE(found.broken.contains({"survives", "died"})) << kind;
  }
}

/// Nine more that it uses in turns.
TEST(SecondConnection, AThirdAndFurtherOnesAreAsGood) {
  for (const char* const kind : {"pause", "break-connection"}) {
    const std::string more = std::string_view(kind) == "pause" ? "for = \"1s\"\n" : "";
    const auto with = [&](const char* how) {
      return searched(of_subscriber(how, fmt::format(fmt::runtime(one_fault), 1, kind, more)));
    };
    const sim::Exploration few = with("early"), many = with("many");
    EXPECT_GT(many.of_budget.size(), 0u) << kind << " never struck";
    EXPECT_FALSE(many.broken.contains({"survives", "died"})) << kind;
    std::set<sim::ViolationKind> by_few, by_many;
    for (const auto& [way, broken] : few.broken) by_few.insert(way);
    for (const auto& [way, broken] : many.broken) by_many.insert(way);
    EXPECT_EQ(by_few, by_many) << kind;
  }
}

/// One that waits at the server meanwhile is no state of its own.
TEST(SecondConnection, OneThatIsIdleMakesNoMoreStates) {
  const std::string rest = fmt::format(fmt::runtime(no_fault), 1);
  EXPECT_EQ(searched(of_subscriber("idle", rest)).states, searched(of_subscriber("early", rest)).states);
}

TEST(SecondConnection, MoreThanAServerTakesAreRefusedInASentence) {
  try {
    (void)sim::run(of_subscriber("hundred", ""), 1);
    FAIL() << "it has a hundred";
  } catch (const harness::InputError& refused) {
    EXPECT_NE(std::string(refused.what()).find("has 64 connections to redis-1 and opens another one"),
              std::string::npos)
        << refused.what();
  }
}

}  // namespace
}  // namespace lockproof::second_connection_test
