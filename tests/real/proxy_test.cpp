// SPDX-License-Identifier: Apache-2.0
// Messages as the proxy splits them, ports that it keeps, and clocks as they drift.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "real/clock/drift.hpp"
#include "real/network/event_loop.hpp"
#include "real/network/proxy.hpp"
#include "real/services/redis/resp.hpp"
#include "real/services/redis/resp_framing.hpp"

namespace lockproof::tests {
namespace {

TEST(Resp, FindsTheEndOfEachKindOfMessage) {
  for (const std::string whole : {"+OK\r\n", "-ERR no\r\n", ":42\r\n", "$-1\r\n", "$0\r\n\r\n", "$4\r\na\r\nb\r\n",
                                  "*-1\r\n", "*0\r\n", "*2\r\n$1\r\na\r\n:1\r\n", "*1\r\n*2\r\n+a\r\n$1\r\nb\r\n"}) {
    EXPECT_EQ(real::resp_size(whole), whole.size()) << whole;
    EXPECT_EQ(real::resp_size(whole + "+more\r\n"), whole.size()) << whole;
    for (std::size_t part = 0; part < whole.size(); ++part) EXPECT_EQ(real::resp_size(whole.substr(0, part)), 0U);
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
}  // namespace lockproof::tests
