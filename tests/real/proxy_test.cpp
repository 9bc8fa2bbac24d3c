// SPDX-License-Identifier: Apache-2.0
// Messages as the proxy splits them, ports that it keeps, and clocks as they drift.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "real/clock/drift.hpp"
#include "real/clock/world_time.hpp"
#include "real/network/event_loop.hpp"
#include "real/network/line_codec.hpp"
#include "real/network/proxy.hpp"
#include "real/services/redis/resp.hpp"
#include "real/services/redis/resp_framing.hpp"

namespace lockproof::tests::proxy_test {
namespace {

TEST(Resp, FindsTheEndOfEachKindOfMessage) {
  for (const std::string whole : {"+OK\r\n", "-ERR no\r\n", ":42\r\n", "$-1\r\n", "$0\r\n\r\n", "$4\r\na\r\nb\r\n",
                                  "*-1\r\n", "*0\r\n", "*2\r\n$1\r\na\r\n:1\r\n", "*1\r\n*2\r\n+a\r\n$1\r\nb\r\n"}) {
    EXPECT_EQ(real::resp_size(whole), whole.size()) << whole;
    EXPECT_EQ(real::resp_size(whole + "+more\r\n"), whole.size()) << whole;
    for (std::size_t part = 0; part < whole.size(); ++part) EXPECT_EQ(real::resp_size(whole.substr(0, part)), 0U);
  }
}

TEST(Resp, ACommandWithoutWordsIsPartOfTheNextOneSinceNobodyAnswersIt) {
  const real::RespFraming framing;
  for (const std::string nothing : {"*0\r\n", "*-1\r\n", "\r\n", "*0\r\n\r\n*0\r\n"}) {
    const std::string whole = nothing + "*1\r\n$4\r\nPING\r\n";
    EXPECT_EQ(framing.size(nothing), 0U) << nothing;
    EXPECT_EQ(framing.size(whole + nothing), whole.size()) << whole;
    EXPECT_EQ(framing.request(whole).verb(), "PING");
    EXPECT_EQ(framing.reply_size("*0\r\n" + whole, nullptr), 4U);
  }
}

/// Whoever starts a server has copies of all sockets until the server's program runs.
TEST(Proxy, RefusesAndAdmitsThoughAnotherProcessHasACopyOfItsSocket) {
  constexpr harness::HostIndex client = 0, server = 1;
  real::EventLoop loop;
  const real::RespFraming framing;
  real::Proxy proxy{framing};
  const int port = proxy.listen(client, server, [](int) { return real::Descriptor{}; });
  proxy.attach(loop, {});
  const pid_t has_a_copy = ::fork();
  if (has_a_copy == 0) {
    ::alarm(10);
    for (;;) ::pause();
  }
  for (int times = 0; times < 3; ++times) {
    proxy.admit(server, false);
    EXPECT_FALSE(real::dial_port(port).open());
    proxy.admit(server, true);
    EXPECT_TRUE(real::dial_port(port).open());
  }
  ::kill(has_a_copy, SIGKILL);
  ::waitpid(has_a_copy, nullptr, 0);
}

/// A service whose servers show nothing of what they ran is watched there.
TEST(Proxy, ShowsEachReplyWhenItComesWhateverBecomesOfIt) {
  constexpr harness::HostIndex client = 0, server = 1;
  real::EventLoop loop;
  const real::LineCodec framing;
  real::Proxy proxy{framing};
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
  const real::Descriptor far(ends[0]);
  const int port = proxy.listen(client, server, [&](int) { return real::Descriptor(ends[1]); });
  std::string seen;
  const auto passes = [&](const real::Proxy::Message& m) {
    seen += m.reply ? "passes-reply " : "passes-request ";
    if (m.reply && m.number == 1) proxy.drop_from(server, m.port, true, 1);
  };
  proxy.attach(loop, {passes, [&](const real::Proxy::Message&) { seen += "dropped "; },
                      [&](const real::Proxy::Message& m, std::string_view reply) {
                        seen += "answered-" + std::string(m.command.verb()) + std::string(reply.substr(0, 2)) + " ";
                      }});
  const real::Descriptor near = real::dial_port(port);
  ASSERT_TRUE(real::write_all(near.get(), "READ 7\n", 7));
  const auto turn_until = [&](const std::string& end) {
    const std::int64_t give_up = real::machine_ns() + 5'000'000'000;
    while (!seen.ends_with(end) && real::machine_ns() < give_up) {
      real::EventLoop::Timer tick(loop, [] {});
      tick.set(real::machine_ns() + 1'000'000);
      loop.turn();
    }
  };
  turn_until("passes-request ");
  ASSERT_TRUE(real::write_all(far.get(), ":8\n", 3));
  turn_until("dropped ");
  EXPECT_EQ(seen, "passes-request answered-READ:8 passes-reply dropped ");
}

/// As for a database, whose locks belong to connections.
class ProxyEnds : public testing::Test {
 protected:
  void SetUp() override {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    far = real::Descriptor(ends[0]);
    const int port = proxy.listen(0, 1, [server = ends[1]](int) { return real::Descriptor(server); });
    real::Proxy::Observer observer{[this](const real::Proxy::Message& m) { near_port = m.port; },
                                   [](const real::Proxy::Message&) {}};
    observer.ended = [this](harness::HostIndex, harness::HostIndex, int) { ++ended; };
    proxy.attach(loop, std::move(observer));
    near = real::dial_port(port);
    ASSERT_TRUE(real::write_all(near.get(), "READ 7\n", 7));
    turn();
  }
  void turn() {
    for (int i = 0; i < 30; ++i) {
      real::EventLoop::Timer tick(loop, [] {});
      tick.set(real::machine_ns() + 1'000'000);
      loop.turn();
    }
  }
  /// Whether the server has read the connection's end, behind whatever came.
  bool learned() {
    char bytes[100];
    for (;;) {
      const auto count = ::recv(far.get(), bytes, sizeof bytes, MSG_DONTWAIT);
      if (count <= 0) return count == 0;
    }
  }
  real::EventLoop loop;
  const real::LineCodec framing;
  real::Proxy proxy{framing};
  real::Descriptor far, near;
  int ended = 0, near_port = 0;
};

TEST_F(ProxyEnds, TheServerLearnsOfTheClientsAndSaysItsOwn) {
  near.close();
  turn();
  EXPECT_TRUE(learned());
  EXPECT_EQ(ended, 0);
  far.close();
  turn();
  EXPECT_EQ(ended, 1);
}

TEST_F(ProxyEnds, TheServerLearnsOfOneThatDiedBeforeItsNextRequest) {
  proxy.drop_unsent(1, near_port, 2);
  ASSERT_TRUE(real::write_all(near.get(), "READ 8\n", 7));
  turn();
  near.close();
  turn();
  EXPECT_TRUE(learned());
}

TEST_F(ProxyEnds, TheServerDoesNotLearnOfASilentOne) {
  proxy.drop_from(1, near_port, false, 2);
  ASSERT_TRUE(real::write_all(near.get(), "READ 8\n", 7));
  turn();
  near.close();
  turn();
  EXPECT_FALSE(learned());
}

TEST_F(ProxyEnds, TheServerDoesNotLearnOfOneThatAPoolKeeps) {
  proxy.keep(0, 1);
  near.close();
  turn();
  EXPECT_FALSE(learned());
}

TEST_F(ProxyEnds, TheServerLearnsOfOneBehindAPartitionWhenThatHeals) {
  proxy.hold(0, 1, true);
  near.close();
  turn();
  EXPECT_FALSE(learned());
  proxy.hold(0, 1, false);
  turn();
  EXPECT_TRUE(learned());
}

TEST(Resp, WhatNeverIsAMessageHasNoEnd) {
  std::string deep;
  for (int i = 0; i < 1'000'000; ++i) deep += "*1\r\n";
  for (const std::string& endless : {std::string("$9223372036854775807\r\nabc"), std::string("$x\r\n"), deep}) {
    EXPECT_EQ(real::resp_size(endless), 0U);
  }
}

TEST(Drift, AnInstantIsReachedAtTheFirstWorldTimeThatShowsIt) {
  for (const std::int64_t ppb :
       {0, 10'000'000, -10'000'000, 1'000'000'000, -999'000'000, -1'000'000'000, 333'333'333}) {
    const real::Drift drift = real::Drift{}.with_rate(milliseconds(7), ppb);
    for (std::int64_t us = 7'000; us < 7'200; us += 7) {
      const Duration world = drift.when(Duration(us));
      EXPECT_GE(world + drift.at(world), Duration(us)) << ppb;
      const Duration before = world - Duration(1);
      EXPECT_LT(before + drift.at(before), Duration(us)) << ppb;
    }
  }
}

TEST(Drift, GoesOnFromWhereItWas) {
  real::Drift drift = real::Drift{}.with_rate(seconds(1), 500'000'000);
  drift = drift.with_rate(seconds(3), 0);
  EXPECT_EQ(drift.at(seconds(10)), seconds(1));
}

}  // namespace
}  // namespace lockproof::tests::proxy_test
