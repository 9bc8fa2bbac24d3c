// SPDX-License-Identifier: Apache-2.0
// Each test pins a sentence of docs/semantics/time.md, of hosts that are suspended.
#include "harness/check/host_clocks.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::sim::suspend_test {
namespace {

using harness::What;
using tests::event;
using tests::ms;
using tests::sent;
using tests::where;

const std::string one_client = "[workload]\nclients = 1\nlease = \"5s\"\nwork = [\"read\", \"hold 1s\", \"write\"]\n";

std::string two_clients(const std::string& stop_on) {
  return "[workload]\nclients = 2\nlease = \"5s\"\nacquire_timeout = \"30s\"\nstop_on = \"" + stop_on +
         "\"\nwork = [\"read\", \"hold 1s\", \"write\"]\n[[client]]\nname = \"client-2\"\nstart = \"100ms\"\n"
         "work = [\"read\", \"hold 3s\", \"write\"]\n";
}

harness::History with(const std::string& text) { return tests::run(tests::scenario(text, "set-px-token")); }

std::string fault(const std::string& kind, const std::string& rest, const std::string& target = "client-1") {
  return "[[fault]]\nkind = \"" + kind + "\"\ntarget = \"" + target + "\"\n" + rest + "\n";
}

TEST(Suspend, ATimerHasAsLongToGoAsItHadBefore) {
  const std::string place = "at = \"500ms\"\nfor = \"4s\"";
  EXPECT_EQ(ms(sent(with(one_client + fault("pause", place)), "client-1", "WRITE")), 4500);
  EXPECT_EQ(ms(sent(with(one_client + fault("suspend", place)), "client-1", "WRITE")), 4000 + 1004);
}

TEST(Suspend, AHolderThatObeysAMonotonicDeadlineWritesAfterItsLease) {
  const std::string place = "at = \"500ms\"\nfor = \"6s\"";
  const auto wrote = [](const harness::History& h) {
    return std::ranges::any_of(where(h, What::send, "client-1"),
                               [&](std::size_t i) { return h.events[i].command->verb() == "WRITE"; });
  };
  EXPECT_FALSE(wrote(with(two_clients("deadline") + fault("pause", place))));
  EXPECT_TRUE(wrote(with(two_clients("deadline") + fault("suspend", place))));
}

TEST(Suspend, ATimeOutCountsOnAfterIt) {
  const std::string network = "[network]\nlatency = \"300ms\"\ntimeout = \"500ms\"\n";
  const auto h = with(one_client + network + fault("partition", "peer = \"redis-1\"\nat = \"0s\"\nfor = \"20s\"") +
                      fault("suspend", "at = \"100ms\"\nfor = \"3s\""));
  EXPECT_EQ(ms(event(h, What::time_out, "client-1")), 3500);
}

TEST(Suspend, SuspensionsThatOverlapEndWithTheLastOne) {
  const auto h = with(one_client + fault("suspend", "at = \"500ms\"\nfor = \"2s\"") +
                      fault("suspend", "at = \"1s\"\nfor = \"5s\""));
  EXPECT_EQ(ms(sent(h, "client-1", "WRITE")), 6000 + 1004 - 500);
}

TEST(Suspend, OfAServerIsAPause) {
  const std::string place = "at = \"0s\"\nfor = \"2s\"";
  const auto executed = [&](const std::string& kind) {
    return ms(event(with(one_client + fault(kind, place, "redis-1")), What::execute, "redis-1"));
  };
  EXPECT_EQ(executed("suspend"), 2000);
  EXPECT_EQ(executed("suspend"), executed("pause"));
}

TEST(Suspend, WhatClocksShowLaterFollowsFromTheHistory) {
  const auto h = with(one_client + fault("clock-rate", "at = \"0s\"\nrate = \"-33.3%\"") +
                      fault("suspend", "at = \"500123us\"\nfor = \"4000777us\""));
  check::HostClocks known(h.header);
  int compared = 0;
  for (const harness::Event& e : h.events) {
    if (e.host == harness::no_host) continue;
    if (compared > 0 && e.host == 0) {
      EXPECT_EQ(known.now(e.host, "mono", e.at), e.clocks.mono_us) << e.at.count();
      EXPECT_EQ(known.now(e.host, "boot", e.at), e.clocks.boot_us) << e.at.count();
      EXPECT_EQ(known.shown(e.host, "wall", e.at), e.clocks.wall_ms * 1000) << e.at.count();
    }
    if (e.host == 0) ++compared;
    known.see(e);
  }
  EXPECT_GT(compared, 10);
}

}  // namespace
}  // namespace lockproof::sim::suspend_test
