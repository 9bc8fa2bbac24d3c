// SPDX-License-Identifier: Apache-2.0
// Servers that lockproof did not start: what may be named there, and which scenarios may be run. That it is so over
// real connections is tests/real/external_servers.py's.
#include "real/external/external_servers.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "algorithms/catalogue.hpp"
#include "algorithms/redis/requests.hpp"
#include "algorithms/scripts.hpp"
#include "harness/input_error.hpp"
#include "harness/record/recorded_ports.hpp"
#include "harness/scenario/file/parse.hpp"
#include "harness/scenario/setup.hpp"
#include "real/clock/world_time.hpp"
#include "real/external/address.hpp"
#include "real/external/condition.hpp"
#include "real/external/same_user.hpp"
#include "real/network/event_loop.hpp"
#include "real/network/proxy.hpp"
#include "real/services/redis/resp_framing.hpp"
#include "sim/run.hpp"

namespace lockproof::external_test {
namespace {

using harness::parse_scenario;
using harness::Scenario;

std::string text_of(std::string_view algorithm) {
  const Algorithm& lock = *find_algorithm(algorithm);
  return harness::algorithm_table(lock) +
         "[workload]\nclients = 3\nrounds = 2\nlease = \"10s\"\nwork = [\"hold 6s\"]\n" +
         harness::servers_tables(lock, 3) + "[run]\nhorizon = \"120s\"\n";
}

real::ExternalServers servers_of(const Scenario& scenario) {
  return {{}, {}, "p:", real::keys_of(scenario), real::channels_of(scenario)};
}

TEST(External, TheCatalogueSaysAllThatALockNames) {
  for (const Algorithm& algorithm : catalogue()) {
    if (algorithm.service != Service::redis) continue;
    const Scenario scenario = real::under_prefix(parse_scenario("s.toml", text_of(algorithm.name)), "p:");
    const real::ExternalServers servers = servers_of(scenario);
    int commands = 0;
    const harness::History history = sim::run(scenario, 1);
    for (const harness::Event& event : history.events) {
      const bool to_server = event.what == harness::What::send &&
                             history.host_kind(event.peer) == harness::HostKind::server && event.command;
      if (!to_server) continue;
      ++commands;
      EXPECT_NO_THROW(real::require_own(servers, *event.command)) << algorithm.name;
    }
    EXPECT_GT(commands, 5) << algorithm.name;
  }
}

TEST(External, NothingElseIsNamed) {
  const Scenario plain = parse_scenario("s.toml", text_of("redisson"));
  const Scenario scenario = real::under_prefix(plain, "p:");
  EXPECT_EQ(scenario.lock, "p:lock");
  EXPECT_EQ(scenario.speedup, 1);
  const real::ExternalServers servers = servers_of(scenario);
  EXPECT_EQ(servers.channels, std::vector<std::string>{"redisson_lock__channel:{p:lock}"});
  const auto refuses = [&](const Command& command) {
    EXPECT_THROW(real::require_own(servers, command), std::logic_error) << command.verb();
  };
  refuses(redis::get(Name("lock")).command);
  refuses(redis::del(Name("p:lock2")).command);
  refuses(redis::del(Name("redisson_lock__channel:{p:lock}")).command);
  refuses(harness::subscription(Name("redisson_lock__channel:{lock}")));
  refuses(redis::eval(scripts::compare_and_delete, redis::keys(Name("lock")), redis::args(Name("p:lock"))).command);
  refuses(redis::eval({"other", "return redis.call('keys', '*')"}, redis::keys(Name("p:lock")), {}).command);
  for (const char* verb : {"FLUSHALL", "KEYS", "CONFIG", "SHUTDOWN", "DEBUG", "MONITOR", "SCRIPT", "PUBLISH"}) {
    refuses(Command({verb, "p:lock"}));
  }
  EXPECT_NO_THROW(real::require_own(servers, redis::get(Name("p:lock")).command));
  EXPECT_NO_THROW(real::require_own(servers, harness::subscription(Name("redisson_lock__channel:{p:lock}"))));
}

std::string refusal(const std::string& addition) {
  const Scenario scenario = parse_scenario("s.toml", text_of("redlock") + addition);
  try {
    real::require_harmless(scenario);
  } catch (const harness::InputError& e) {
    return e.what();
  }
  return "";
}

TEST(External, WhatStrikesAServerIsRefused) {
  const std::string fault = "[[fault]]\ntarget = \"redis-2\"\nat = \"1s\"\nkind = ";
  EXPECT_EQ(refusal(fault + "\"restart\"\nfor = \"1s\"\n"),
            "s.toml:12: fault 1, restart of redis-2, would end the server, and with --redis that is not lockproof's; "
            "leave out --redis, and lockproof starts servers of its own for it");
  for (const char* harm : {"\"pause\"\nfor = \"1s\"", "\"power-cut\"\nfor = \"1s\"", "\"clock-jump\"\nby = \"1s\"",
                           "\"clock-rate\"\nrate = \"1%\"", "\"evict\"", "\"flush\""}) {
    EXPECT_NE(refusal(fault + harm + "\n"), "") << harm;
  }
  const std::string replica = "[[server]]\nname = \"redis-3\"\nreplica_of = \"redis-2\"\n";
  EXPECT_NE(refusal(fault + "\"failover\"\nto = \"redis-3\"\n" + replica).find("another server the master"),
            std::string::npos);
  EXPECT_NE(refusal(replica), "");
  EXPECT_NE(refusal("[[server]]\nname = \"redis-3\"\nclock = \"1s\"\n"), "");
  EXPECT_NE(refusal("[[server]]\nname = \"redis-3\"\nmin_replicas_to_write = 1\n"), "");
}

TEST(External, WhatStrikesClientsAndTheNetworkIsNot) {
  const std::string fault = "[[fault]]\ntarget = \"client-2\"\nat = \"1s\"\nkind = ";
  for (const char* harmless :
       {"\"pause\"\nfor = \"1s\"", "\"crash\"", "\"clock-jump\"\nby = \"1s\"", "\"clock-rate\"\nrate = \"1%\"",
        "\"break-connection\"\npeer = \"redis-1\"", "\"partition\"\npeer = \"redis-1\"\nfor = \"1s\""}) {
    EXPECT_EQ(refusal(fault + harmless + "\n"), "") << harmless;
  }
  EXPECT_EQ(refusal("[[fault]]\ntarget = \"redis-1\"\nat = \"1s\"\nkind = \"partition\"\nfor = \"1s\"\n"), "");
}

TEST(External, AddressesAreHostsWithPortsOrPaths) {
  using real::external_address_from;
  using Address = real::ExternalAddress;
  EXPECT_EQ(external_address_from("127.0.0.1:6379"), (Address{"127.0.0.1:6379", "127.0.0.1", 6379}));
  EXPECT_EQ(external_address_from("redis.example:1"), (Address{"redis.example:1", "redis.example", 1}));
  EXPECT_EQ(external_address_from("[::1]:65535"), (Address{"[::1]:65535", "::1", 65535}));
  EXPECT_EQ(external_address_from("/run/s"), (Address{"/run/s", "/run/s", 0}));
  EXPECT_EQ(external_address_from("unix:/run/s"), (Address{"unix:/run/s", "/run/s", 0}));
  EXPECT_THROW(static_cast<void>(external_address_from("a:1:2")), harness::InputError);
  EXPECT_THROW(static_cast<void>(external_address_from("127.0.0.1:65536")), harness::InputError);
}

TEST(External, WhatHappensToAServerMeanwhileIsSeen) {
  const std::int64_t minute = 60'000'000;
  const auto condition = [](std::string_view text, std::int64_t machine_us) {
    return real::Condition{real::info_from(text), machine_us, 0};
  };
  const char* const plain =
      "run_id:a\r\nrole:master\r\nevicted_keys:3\r\nserver_time_usec:1700000000000000\r\n"
      "cmdstat_flushall:calls=2,usec=1\r\n";
  const auto since = [&](const char* later) {
    return struck_between(condition(plain, 1000), condition(later, 1000 + minute));
  };
  EXPECT_EQ(since("run_id:a\r\nrole:master\r\nevicted_keys:3\r\nserver_time_usec:1700000060050000\r\n"
                  "cmdstat_flushall:calls=2,usec=1\r\ncmdstat_set:calls=9\r\n"),
            "");
  EXPECT_EQ(since("run_id:b\r\nrole:master\r\n"), "it was restarted");
  EXPECT_EQ(since("run_id:a\r\nrole:slave\r\n"), "it became another's replica, or a master");
  EXPECT_EQ(since("run_id:a\r\nrole:master\r\nevicted_keys:4\r\n"), "it was short of memory and evicted keys");
  EXPECT_EQ(since("run_id:a\r\nrole:master\r\ncmdstat_flushall:calls=3,usec=1\r\n"), "a client ran FLUSHALL");
  EXPECT_EQ(since("run_id:a\r\nrole:master\r\ncmdstat_client|pause:calls=1\r\n"), "a client ran CLIENT PAUSE");
  EXPECT_EQ(since("run_id:a\r\nrole:master\r\nserver_time_usec:1700000061000000\r\n"), "its clock jumped by 1000 ms");
  EXPECT_EQ(since("run_id:a\r\nrole:master\r\nserver_time_usec:1700000059000000\r\n"), "its clock jumped by -1000 ms");
}

/// By a socket for IPv6, as Java does it.
real::Descriptor dial_by_ipv6(int port) {
  real::Descriptor socket(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_port = htons(static_cast<std::uint16_t>(port));
  ::inet_pton(AF_INET6, "::ffff:127.0.0.1", &address.sin6_addr);
  const int failed = ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  return failed == 0 ? std::move(socket) : real::Descriptor();
}

/// Somebody connects to the proxy, as this user or as nobody; whether the connection is kept.
bool is_let_in(bool as_nobody, real::Descriptor (*dial)(int) = real::dial_port) {
  real::EventLoop loop;
  const real::RespFraming framing;
  real::Proxy proxy{framing};
  proxy.let_in(real::is_of_this_user);
  const int port = proxy.listen(0, 1, [](int) {
    int ends[2];  // a server that says nothing; its other end is left to the end of the process
    return ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0 ? real::Descriptor(ends[0])
                                                                           : real::Descriptor();
  });
  proxy.attach(loop, {[](const real::Proxy::Message&) {}, [](const real::Proxy::Message&) {}});
  const pid_t pid = ::fork();
  if (pid == 0) {
    if (as_nobody && ::setuid(65534) != 0) ::_exit(3);
    const real::Descriptor there = dial(port);
    pollfd ended{there.get(), POLLIN, 0};
    ::_exit(::poll(&ended, 1, 300) == 1 ? 1 : 0);
  }
  int status = -1;
  while (::waitpid(pid, &status, WNOHANG) == 0) {
    real::EventLoop::Timer tick(loop, [] {});
    tick.set(real::machine_ns() + 5'000'000);
    loop.turn();
  }
  EXPECT_NE(WEXITSTATUS(status), 3);
  return WEXITSTATUS(status) == 0;
}

TEST(External, AProxyLetsNobodyElseIn) {
  EXPECT_TRUE(is_let_in(false));
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be somebody else";
  EXPECT_FALSE(is_let_in(true));
}

TEST(External, AProxyLetsInWhoUsesASocketForIpv6) {
  if (!real::Descriptor(::socket(AF_INET6, SOCK_STREAM, 0)).open()) GTEST_SKIP() << "this machine has none";
  EXPECT_TRUE(is_let_in(false, dial_by_ipv6));
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be somebody else";
  EXPECT_FALSE(is_let_in(true, dial_by_ipv6));
}

}  // namespace
}  // namespace lockproof::external_test
