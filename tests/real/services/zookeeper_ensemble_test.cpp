// SPDX-License-Identifier: Apache-2.0
// What servers of a real ensemble have together, without any of them: the network between them, what it holds and whom
// it refuses, how what they did is put together, and the numbers of their sessions.
#include "real/services/zookeeper/zookeeper_ensemble.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "real/clock/world_time.hpp"
#include "real/network/proxy.hpp"
#include "real/services/server_program.hpp"
#include "real/services/zookeeper/zookeeper_store.hpp"

namespace lockproof::real::zookeeper_ensemble_test {
namespace {

using Traffic = EnsembleNetwork::Traffic;
using Ports = EnsembleNetwork::Ports;

constexpr std::int64_t limit_ns = 5'000'000'000;
constexpr int moment_ms = 100;

/// As a server does that begins to listen at its port.
Descriptor listen_at(int port) {
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  const int yes = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  EXPECT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(::listen(socket.get(), 8), 0);
  return socket;
}

bool readable(const Descriptor& socket, int wait_ms) {
  pollfd ready{socket.get(), POLLIN, 0};
  return ::poll(&ready, 1, wait_ms) == 1;
}

Descriptor accepted(const Descriptor& listener) {
  const bool has_come = readable(listener, 5'000);
  EXPECT_TRUE(has_come) << "nobody has come";
  if (!has_come) return {};
  return Descriptor(::accept(listener.get(), nullptr, nullptr));
}

void say(const Descriptor& socket, const std::string& bytes) {
  EXPECT_EQ(::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
}

/// What has come within a moment; nothing: no byte has.
std::optional<std::string> heard(const Descriptor& socket, int wait_ms = moment_ms) {
  char bytes[64];
  if (!readable(socket, wait_ms)) return std::nullopt;
  const auto count = ::recv(socket.get(), bytes, sizeof bytes, 0);
  return std::string(bytes, static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
}

class EnsembleNetworkTest : public testing::Test, public PinnedObject {
 protected:
  std::array<Ports, 3> ports_of(int server) const {
    std::array<Ports, 3> all;
    const std::string text = network.configuration_of(server);
    EXPECT_EQ(
        std::sscanf(text.c_str(), "server.1=127.0.0.1:%d:%d\nserver.2=127.0.0.1:%d:%d\nserver.3=127.0.0.1:%d:%d\n",
                    &all[0].quorum, &all[0].elections, &all[1].quorum, &all[1].elections, &all[2].quorum,
                    &all[2].elections),
        6)
        << text;
    return all;
  }
  /// Calls until somebody answers, or, if `refused`, until nobody does.
  static Descriptor call(int port, bool refused = false) {
    for (const std::int64_t give_up = machine_ns() + limit_ns; machine_ns() < give_up; nap()) {
      Descriptor socket = dial_port(port);
      if (socket.open() != refused) return socket;
    }
    ADD_FAILURE() << (refused ? "somebody still answers" : "nobody answers");
    return {};
  }

  Janitor janitor;
  EnsembleNetwork network{3, janitor};
};

TEST_F(EnsembleNetworkTest, EachServerListensAtOnePortAndIsFoundByEachOtherAtAnother) {
  std::vector<int> found;
  for (int server = 0; server < 3; ++server) {
    const auto ports = ports_of(server);
    for (const Ports& one : ports) found.insert(found.end(), {one.quorum, one.elections});
  }
  std::ranges::sort(found);
  EXPECT_EQ(std::ranges::adjacent_find(found), found.end());
}

TEST_F(EnsembleNetworkTest, WhoDoesNotListenRefuses) {
  EXPECT_FALSE(call(ports_of(0)[2].quorum, true).open());
  {
    const Descriptor leader = listen_at(ports_of(2)[2].quorum);
    EXPECT_TRUE(call(ports_of(0)[2].quorum).open());
    EXPECT_FALSE(call(ports_of(0)[1].quorum, true).open());
  }
  EXPECT_FALSE(call(ports_of(0)[2].quorum, true).open());
}

TEST_F(EnsembleNetworkTest, HoldsOneWayAndGoesOnWithAllThatWasSaid) {
  const Descriptor leader = listen_at(ports_of(2)[2].quorum);
  const Descriptor follower = call(ports_of(0)[2].quorum);
  const Descriptor there = accepted(leader);
  say(follower, "a");
  EXPECT_EQ(heard(there), "a");
  network.hold(0, 2, Traffic::quorum, true);
  say(follower, "b");
  say(there, "c");
  EXPECT_EQ(heard(there), std::nullopt);
  EXPECT_EQ(heard(follower), "c") << "the other way is not held";
  network.hold(0, 2, Traffic::quorum, false);
  EXPECT_EQ(heard(there), "b");
}

TEST_F(EnsembleNetworkTest, AHoldIsOfOneKindOfTraffic) {
  const Descriptor leader = listen_at(ports_of(2)[2].quorum);
  const Descriptor follower = call(ports_of(0)[2].quorum);
  const Descriptor there = accepted(leader);
  network.hold(0, 2, Traffic::elections, true);
  say(follower, "a");
  EXPECT_EQ(heard(there), "a");
}

TEST_F(EnsembleNetworkTest, HoldsAreCounted) {
  const Descriptor leader = listen_at(ports_of(2)[2].quorum);
  const Descriptor follower = call(ports_of(0)[2].quorum);
  const Descriptor there = accepted(leader);
  for (int times = 0; times < 2; ++times) network.hold(0, 2, Traffic::quorum, true);
  say(follower, "a");
  network.hold(0, 2, Traffic::quorum, false);
  EXPECT_EQ(heard(there), std::nullopt);
  network.hold(0, 2, Traffic::quorum, false);
  EXPECT_EQ(heard(there), "a");
}

/// Whatever the lower one says of its own address, which does not lie behind the network.
TEST_F(EnsembleNetworkTest, ForElectionsTheLowerNumberAsksToBeCalledBack) {
  const Descriptor higher = listen_at(ports_of(2)[2].elections);
  const Descriptor lower = call(ports_of(0)[2].elections);
  say(lower, "my address is 127.0.0.1:1");
  const Descriptor there = accepted(higher);
  EXPECT_EQ(heard(there), std::string("\0\0\0\0\0\0\0\1", 8));
  EXPECT_EQ(heard(there), "") << "and that was all";
}

TEST_F(EnsembleNetworkTest, ForElectionsTheHigherNumberIsConnected) {
  const Descriptor lower = listen_at(ports_of(0)[0].elections);
  const Descriptor higher = call(ports_of(2)[0].elections);
  say(higher, "my address");
  EXPECT_EQ(heard(accepted(lower)), "my address");
}

// ---- what they did

class ZooKeeperEnsembleTest : public testing::Test, public PinnedObject {
 protected:
  using Kind = Transaction::Kind;
  void SetUp() override {
    for (std::size_t i = 0; i < 3; ++i) {
      ensemble.join({.answers = [this, i]() -> const std::vector<ServerAnswer>& { return answers[i]; },
                     .log = [this, i] { return logs[i]; }});
    }
  }
  void answer(std::size_t server, int ms, int port, const char* verb, std::int64_t session, std::int64_t id = 0) {
    answers[server].push_back({milliseconds(ms), port, verb, session, id});
  }
  /// In the logs of the first so many.
  void write(std::size_t servers, int ms, Kind kind, std::int64_t session, std::int64_t id, const char* node = "") {
    for (std::size_t i = 0; i < servers; ++i) logs[i].push_back({kind, id, session, ms, node, kind == Kind::creates});
  }
  /// The clients of two followers make their nodes, the one of the first server first.
  void two_queue() {
    answer(0, 1, 10, "CONNECT", 11);
    answer(0, 3, 10, "CREATE", 11, 2);
    answer(1, 4, 20, "CONNECT", 22);
    answer(1, 6, 20, "CREATE", 22, 4);
    write(3, 1, Kind::opens, 11, 1);
    write(3, 2, Kind::creates, 11, 2, "lock/11-0000000000");
    write(3, 4, Kind::opens, 22, 3);
    write(3, 5, Kind::creates, 22, 4, "lock/22-0000000001");
  }
  /// "3000 of 10 first": when, whose connection's, and what changed.
  std::string shown(std::size_t server) {
    std::string all;
    for (const Execution& one :
         ensemble.executions_at(server, "lock", [](std::int64_t ms) -> Duration { return milliseconds(ms); })) {
      all += (all.empty() ? "" : ", ") + std::to_string(one.at.count()) + " of " + std::to_string(one.port);
      all += one.act.empty() ? "" : " " + one.act;
      for (const auto& effect : one.effects_of ? one.effects_of(Command({})) : one.effects) all += " " + effect.event;
    }
    return all;
  }

  Janitor janitor;
  ZooKeeperEnsemble ensemble{3, janitor};
  std::array<std::vector<ServerAnswer>, 3> answers;
  std::array<std::vector<Transaction>, 3> logs;
};

TEST_F(ZooKeeperEnsembleTest, EachServerAnswersItsClientsAndTheLeaderDoesWhatNobodyAskedFor) {
  two_queue();
  write(3, 9, Kind::ends, 11, 5);
  EXPECT_EQ(shown(0), "1000 of 10, 3000 of 10 first");
  EXPECT_EQ(shown(1), "4000 of 20, 6000 of 20");
  EXPECT_EQ(shown(2), "9000 of 10 session-end deleted expired, 9000 of 20 turn first");
}

/// Another client may have been told of it before its own answer was seen.
TEST_F(ZooKeeperEnsembleTest, AChangeHappensWhenTheLeaderNotesItAndATurnComesBehindIt) {
  two_queue();
  answer(0, 30, 10, "DELETE", 11, 5);
  write(3, 20, Kind::deletes, 11, 5, "lock/11-0000000000");
  EXPECT_EQ(shown(0), "1000 of 10, 3000 of 10 first, 21000 of 10 left");
  EXPECT_EQ(shown(2), "21001 of 20 turn first");
}

TEST_F(ZooKeeperEnsembleTest, WhatIsNotInTheLogsOfAMajorityNeverHappened) {
  answer(0, 1, 10, "CONNECT", 11);
  write(3, 1, Kind::opens, 11, 1);
  write(1, 2, Kind::creates, 11, 2, "lock/11-0000000000");
  EXPECT_EQ(shown(0), "1000 of 10");
  write(2, 3, Kind::creates, 11, 3, "lock/11-0000000001");
  EXPECT_EQ(shown(0), "1000 of 10, 3000 of 10 first");
}

TEST_F(ZooKeeperEnsembleTest, TheLastServerStartsWithThoseThatMakeAMajorityWithIt) {
  EXPECT_FALSE(ensemble.starts_later(0));
  EXPECT_TRUE(ensemble.starts_later(1));
  EXPECT_FALSE(ensemble.starts_later(2));
}

// ---- sessions

TEST(SessionNumbers, OfOneServerCountFromOne) {
  const SessionNumbers numbers{{1000}};
  EXPECT_EQ(numbers.of(1001), 1);
  EXPECT_EQ(numbers.of(1004), 4);
  EXPECT_EQ(numbers.id_of(4), 1004);
}

TEST(SessionNumbers, OfSeveralServersAreDifferent) {
  constexpr std::int64_t first = std::int64_t{1} << 56, second = std::int64_t{2} << 56;
  const SessionNumbers numbers{{first + 10, second + 77, second + second / 2}};
  EXPECT_EQ(numbers.of(first + 11), 1);
  EXPECT_EQ(numbers.of(first + 12), 4);
  EXPECT_EQ(numbers.of(second + 78), 2);
  for (const std::int64_t id : {first + 11, first + 15, second + 78, second + 99}) {
    EXPECT_EQ(numbers.id_of(numbers.of(id)), id);
  }
  EXPECT_EQ(numbers.of(5), 0) << "of no server";
}

}  // namespace
}  // namespace lockproof::real::zookeeper_ensemble_test
