// SPDX-License-Identifier: Apache-2.0
// Faults that the scenario places at an event: zones know the kinds of violation that the engine of points knows, for
// each kind of fault at each form of event, for two at once, and beside a budget.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "search/zones/zone_engine.hpp"
#include "sim/kernel/random_bits.hpp"
#include "tests/search/zones/fixture.hpp"

namespace lockproof::zones {
namespace {

/// The lines of a fault, without its place.
struct PlacedKind {
  std::string name, text;
  enum class Places : std::uint8_t { any, own_command, own_command_or_answer, at_its_ends } places = Places::any;
};

const std::vector<PlacedKind>& kinds_of_faults() {
  using Places = PlacedKind::Places;
  static const std::vector<PlacedKind> all{
      {"pause", "kind = \"pause\"\ntarget = \"client-1\"\nfor = \"8s\"\n"},
      {"pause_of_the_other", "kind = \"pause\"\ntarget = \"client-2\"\nfor = \"8s\"\n"},
      {"suspend", "kind = \"suspend\"\ntarget = \"client-1\"\nfor = \"8s\"\n"},
      {"crash", "kind = \"crash\"\ntarget = \"client-1\"\n"},
      {"kill_task", "kind = \"kill-task\"\ntarget = \"client-1\"\n"},
      {"server_pause", "kind = \"pause\"\ntarget = \"redis-1\"\nfor = \"3s\"\n"},
      {"partition", "kind = \"partition\"\ntarget = \"client-1\"\npeer = \"redis-1\"\nfor = \"8s\"\n"},
      {"partition_from_the_resource",
       "kind = \"partition\"\ntarget = \"client-1\"\npeer = \"resource\"\nfor = \"8s\"\n"},
      {"clock_jump", "kind = \"clock-jump\"\ntarget = \"redis-1\"\nby = \"8s\"\n"},
      {"restart", "kind = \"restart\"\ntarget = \"redis-1\"\nfor = \"1s\"\n"},
      {"power_cut", "kind = \"power-cut\"\ntarget = \"redis-1\"\nfor = \"1s\"\n"},
      {"evict", "kind = \"evict\"\ntarget = \"redis-1\"\n"},
      {"flush", "kind = \"flush\"\ntarget = \"redis-1\"\n"},
      {"break_connection", "kind = \"break-connection\"\ntarget = \"client-1\"\npeer = \"redis-1\"\n",
       Places::at_its_ends},
      {"half_open", "kind = \"half-open\"\ntarget = \"client-1\"\nlose = \"request\"\n", Places::own_command},
      {"half_open_of_replies", "kind = \"half-open\"\ntarget = \"client-1\"\nlose = \"reply\"\n",
       Places::own_command_or_answer},
      {"delay", "kind = \"delay\"\ntarget = \"client-1\"\nby = \"8s\"\n", Places::own_command},
      {"delay_of_replies", "kind = \"delay\"\ntarget = \"client-1\"\nby = \"1500ms\"\nlate = \"reply\"\n",
       Places::own_command_or_answer},
      {"resend", "kind = \"resend\"\ntarget = \"client-1\"\nfor = \"1s\"\n", Places::own_command},
      {"retry", "kind = \"retry\"\ntarget = \"client-1\"\n", Places::own_command}};
  return all;
}

std::vector<std::string> events_for(PlacedKind::Places places) {
  using Places = PlacedKind::Places;
  std::vector<std::string> all{"client-1 before SET",     "client-1 before SET #2",
                               "client-1 before acquire", "client-1 before release",
                               "client-1 before WRITE",   "client-1 before compare-and-delete"};
  if (places == Places::own_command) return all;
  for (const char* event : {"redis-1 before SET of client-1", "redis-1 after SET of client-1",
                            "redis-1 after compare-and-delete of client-1", "resource after WRITE of client-1"}) {
    all.emplace_back(event);
  }
  if (places == Places::own_command_or_answer) return all;
  std::erase(all, "client-1 before WRITE");
  for (const char* event : {"client-1 after SET", "client-1 after WRITE", "client-1 after compare-and-delete",
                            "client-1 enters", "client-1 exits", "client-1 before enter", "client-1 before exit"}) {
    all.emplace_back(event);
  }
  if (places == Places::at_its_ends) {
    std::erase(all, "resource after WRITE of client-1");
    return all;
  }
  for (const char* event : {"client-2 before SET", "client-2 enters", "client-2 after READ", "redis-1 after SET #3",
                            "resource before READ", "redis-1 before compare-and-delete"}) {
    all.emplace_back(event);
  }
  return all;
}

std::string placed(const PlacedKind& kind, const std::string& event, const std::string& after = "") {
  const std::string delay = after.empty() ? "" : "after = \"" + after + "\"\n";
  return "[[fault]]\nwhen = \"" + event + "\"\n" + kind.text + delay;
}

Setting unharmed(const std::string& lock = "set-px-token") { return {.faults = 0, .algorithm = lock}; }

class PlacedAtEvents : public testing::TestWithParam<PlacedKind> {};

TEST_P(PlacedAtEvents, AgreeWithTheOtherEngine) {
  for (const std::string& event : events_for(GetParam().places)) {
    const sim::Exploration found = expect_agreement(unharmed().scenario(placed(GetParam(), event)), event);
    EXPECT_TRUE(found.acquired) << event;
  }
}

/// The event is passed, and the fault strikes later; or it is one of the second round.
TEST_P(PlacedAtEvents, AgreeBehindTheEventAndInALaterRound) {
  using Places = PlacedKind::Places;
  const bool may_be_later = GetParam().places == Places::any || GetParam().places == Places::at_its_ends;
  for (const char* event : {"client-1 before SET", "client-1 enters", "redis-1 after SET of client-1"}) {
    if (may_be_later) expect_agreement(unharmed().scenario(placed(GetParam(), event, "2s")), event);
  }
  Setting twice = unharmed();
  twice.rounds = 2;
  expect_agreement(twice.scenario(placed(GetParam(), "client-1 before SET round 2")), "round 2");
}

INSTANTIATE_TEST_SUITE_P(All, PlacedAtEvents, testing::ValuesIn(kinds_of_faults()),
                         [](const auto& one) { return one.param.name; });

/// A message's fault only at the client's own command: of two faults the other engine has no such event of a server.
std::string drawn(sim::RandomBits& bits) {
  using Places = PlacedKind::Places;
  const PlacedKind& kind = kinds_of_faults()[bits.below(kinds_of_faults().size())];
  const bool is_of_message = kind.places == Places::own_command_or_answer;
  const std::vector<std::string> events = events_for(is_of_message ? Places::own_command : kind.places);
  return placed(kind, events[bits.below(events.size())]);
}

/// Two of them, and in some scenarios a pause that may strike anywhere, of another lock or with late starts. With that
/// pause zones may show more, since their clients ask at any instant; a run confirms it.
TEST(PlacedAtEvents, AgreeInGeneratedScenarios) {
  sim::RandomBits bits(51);
  int searched = 0;
  for (int number = 0; number < 200; ++number) {
    const std::vector<std::string> locks{"set-px-token", "set-ex-get-del", "setnx-expire-del"};
    Setting setting = unharmed(locks[bits.below(locks.size())]);
    setting.faults = bits.below(4) == 0 ? 1 : 0;
    setting.other_faults = {"kind = \"pause\"\ntarget = \"clients\"\nfor = [\"5s\", \"10001ms\"]\n"};
    std::string more = drawn(bits) + (bits.below(2) == 0 ? drawn(bits) : "");
    if (bits.below(3) == 0) more += "[[client]]\nname = \"client-2\"\nstart = \"3s\"\n";
    const harness::Scenario scenario = setting.scenario(more);
    const harness::Scenario bounded = sim::bounded(scenario, *scenario.explore, false);
    if (!why_unsuited(bounded, *scenario.explore).empty()) continue;
    const sim::Exploration found = explore_zones(bounded, *scenario.explore, {});
    if (!found.unrepresentable.empty()) continue;
    ++searched;
    Kinds kinds = kinds_of(found);
    const Kinds points = kinds_of_points(scenario, found.judged);
    if (setting.faults > 0) std::erase_if(kinds, [&](const auto& one) { return !points.contains(one.first); });
    EXPECT_EQ(kinds, points) << number << " " << setting.algorithm << more;
  }
  EXPECT_GT(searched, 150);
}

}  // namespace
}  // namespace lockproof::zones
