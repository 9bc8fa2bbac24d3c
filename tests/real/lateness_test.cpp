// SPDX-License-Identifier: Apache-2.0
#include "real/record/lateness.hpp"

#include <gtest/gtest.h>
#include <time.h>

#include "real/network/event_loop.hpp"
#include "real/run/run.hpp"
#include "tests/real/scenarios.hpp"

namespace lockproof::tests::lateness_test {
namespace {

using harness::Event;
using harness::History;
using harness::What;

constexpr harness::HostIndex client = 0, server = 1;
const real::WorldTime time_of_run(0, 10);  // 10 scenario milliseconds are one of the machine's

Event event(What what, harness::HostIndex host, std::int64_t at_ms) {
  Event e{.what = what};
  e.host = host;
  e.at = milliseconds(at_ms);
  return e;
}

Event message(What what, std::int64_t at_ms) {
  const bool ran = what == What::execute;
  Event e = event(what, ran ? server : client, at_ms);
  e.peer = ran ? client : server;
  e.message = 1;
  return e;
}

Event strike(const char* kind, harness::HostIndex host, std::int64_t at_ms) {
  Event e = event(What::strike, host, at_ms);
  e.fault = 1;
  e.word = kind;
  return e;
}

Event heal(std::int64_t at_ms) {
  Event e = event(What::heal, client, at_ms);
  e.fault = 1;
  return e;
}

std::int64_t late_us(std::vector<Event> events, const real::Lateness& lateness = {}) {
  History history;
  history.events = std::move(events);
  return lateness.most_us(history, time_of_run);
}

TEST(Lateness, OfACommandThatWaitsInItsServerIsThatOfItsReply) {
  real::Lateness lateness;
  lateness.waits(client, server, 1);
  EXPECT_EQ(late_us({message(What::send, 0), message(What::execute, 30), message(What::receive, 50)}, lateness), 2'000);
}

TEST(Lateness, IsTheSlowestWayOfAMessage) {
  EXPECT_EQ(late_us({message(What::send, 0), message(What::execute, 30), message(What::receive, 50)}), 3'000);
  EXPECT_EQ(late_us({message(What::send, 0), message(What::execute, 10), message(What::discard, 50)}), 4'000);
  EXPECT_EQ(late_us({message(What::send, 0)}), 0) << "what never came is not late";
}

TEST(Lateness, DoesNotCountWhatHappenedDuringAFault) {
  const std::vector<Event> slow{strike("partition", client, 5), message(What::send, 10), message(What::execute, 900),
                                heal(900), message(What::receive, 910)};
  EXPECT_EQ(late_us(slow), 0);
  const std::vector<Event> after{strike("partition", client, 5), heal(9), message(What::send, 10),
                                 message(What::execute, 100)};
  EXPECT_EQ(late_us(after), 9'000);
}

TEST(Lateness, OfWhatHasNoEndOfItsOwnIsWhatItSays) {
  for (const char* kind : {"delay", "client-pause"}) {
    Event fault = strike(kind, client, 10);
    fault.value = 500'000;
    EXPECT_EQ(late_us({fault, message(What::send, 10), message(What::execute, 510)}), 0) << kind;
    EXPECT_EQ(late_us({fault, message(What::send, 600), message(What::execute, 700)}), 10'000) << kind;
  }
}

TEST(Lateness, DoesNotCountACommandThatWaitsByItself) {
  Event wait = message(What::execute, 20);
  wait.command = Command({"WAIT", "1", "1000"});
  EXPECT_EQ(late_us({message(What::send, 0), wait, message(What::receive, 900)}), 2'000);
}

TEST(Lateness, IsTheLatestTimerUnlessItsHostStoodStill) {
  real::Lateness lateness;
  lateness.add(client, 10'000'000, 17'000'000);
  lateness.add(harness::no_host, 10'000'000, 13'000'000);
  EXPECT_EQ(late_us({}, lateness), 7'000);
  EXPECT_EQ(late_us({strike("pause", client, 50), heal(165)}, lateness), 3'000) << "the client was stopped meanwhile";
  EXPECT_EQ(late_us({strike("pause", server, 50), heal(165)}, lateness), 7'000) << "another host was";
}

TEST(Lateness, ATimerSaysWhenItWasDueAndWhenItRan) {
  real::EventLoop loop;
  std::int64_t late_ns = -1;
  loop.on_timer([&](std::int64_t due, std::int64_t now) { late_ns = now - due; });
  bool fired = false;
  real::EventLoop::Timer timer(loop, [&] { fired = true; });
  timer.set(real::machine_ns() + 1'000'000);
  const timespec nap{0, 20'000'000};
  ::nanosleep(&nap, nullptr);
  while (!fired) loop.turn();
  EXPECT_GE(late_ns, 19'000'000);
  timer.set(1);  // long past: due when it was set
  fired = false;
  const std::int64_t before = real::machine_ns();
  while (!fired) loop.turn();
  EXPECT_LE(late_ns, real::machine_ns() - before + 1'000'000);
}

TEST(Lateness, OfARealRunIsInItsHistoryWithoutItsPauses) {
  auto scenario = scenario_with("set-px-token", 2);
  harness::Fault pause;
  pause.target = "client-1";
  pause.at = milliseconds(100);
  pause.lasts = seconds(20);
  scenario.faults.push_back(pause);
  const auto history = real::run(scenario, {});
  ASSERT_TRUE(history.header.late_us);
  EXPECT_GT(*history.header.late_us, 0);
  EXPECT_LT(*history.header.late_us, 800'000) << "the pause lasts a second";
}

}  // namespace
}  // namespace lockproof::tests::lateness_test
