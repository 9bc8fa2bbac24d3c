// SPDX-License-Identifier: Apache-2.0
// redis-server and its clients, unmodified, in one virtual time; and the network between them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/tracer/worlds.hpp"

namespace lockproof::tracer {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(TracedRedis, ADeadHoldersLeaseEndsByTheServersClock) {
  const WorldSpec spec = world_with_redis({lease_client("a", 1, "die"), lease_client("b", 0, "ask")});
  const WorldReport report = run_world(spec);
  EXPECT_EQ(report.end, WorldReport::End::finished) << report.words;
  EXPECT_THAT(report.hosts.at(1).output, StartsWith("acquired 1700000001.00"));
  EXPECT_THAT(report.hosts.at(2).output, StartsWith("acquired 1700000011.0"));
  EXPECT_THAT(report.hosts.at(2).output, HasSubstr("mine"));
  EXPECT_EQ(report.cuts, 0U);
  constexpr int again = 5;
  for (int i = 0; i < again; ++i) EXPECT_EQ(run_world(spec).digest, report.digest);
}

TEST(TracedRedis, ARenewingThreadOfRedisPyHoldsItBeyondTheLease) {
  const std::string script = LOCKPROOF_SOURCE "/tests/tracer/renewed_lock.py";
  const WorldSpec spec = world_with_redis({{"python3", script}, {"python3", script}});
  const WorldReport report = run_world(spec);
  EXPECT_EQ(report.end, WorldReport::End::finished) << report.words << report.hosts.at(1).errors;
  EXPECT_THAT(report.hosts.at(1).output, HasSubstr("released 1700000016.0"));
  EXPECT_THAT(report.hosts.at(2).output, StartsWith("acquired 1700000016."));
  EXPECT_EQ(run_world(spec).digest, report.digest);
}

TEST(TracedRedis, WhoIsPausedBeyondTheLeaseHasLostIt) {
  WorldSpec spec = world_with_redis({lease_client("a", 1, "ask"), lease_client("b", 5, "ask")});
  const WorldReport calm = run_world(spec);
  EXPECT_THAT(calm.hosts.at(1).output, HasSubstr("\nmine"));
  spec.fault = FaultSpec{.kind = FaultSpec::Kind::pause, .delivery = 2, .host = 1, .lasts = 12 * second};
  const WorldReport paused = run_world(spec);
  EXPECT_THAT(paused.hosts.at(1).output, StartsWith("acquired 1700000013."));
  EXPECT_THAT(paused.hosts.at(1).output, HasSubstr("not-mine"));
  EXPECT_THAT(paused.log, HasSubstr("fault pause at delivery 2"));
  EXPECT_NE(paused.digest, calm.digest);
  EXPECT_EQ(run_world(spec).digest, paused.digest);
}

/// A killed server's kernel still sends, and closes; a crashed machine's does neither.
TEST(TracedRedis, AKilledServerIsNoticedAndACrashedOneIsNot) {
  WorldSpec spec = world_with_redis({lease_client("a", 1, "ask")});
  spec.fault = FaultSpec{.kind = FaultSpec::Kind::kill, .delivery = 2, .host = 0};
  const WorldReport killed = run_world(spec);
  EXPECT_THAT(killed.hosts.at(1).output, HasSubstr("acquired"));
  EXPECT_THAT(killed.hosts.at(1).output, HasSubstr("lost"));
  spec.fault->kind = FaultSpec::Kind::crash;
  const WorldReport crashed = run_world(spec);
  EXPECT_EQ(crashed.end, WorldReport::End::stuck);
  EXPECT_EQ(crashed.hosts.at(1).output, "");
}

TEST(TracedRedis, ALostAnswerLeavesItsClientWaiting) {
  WorldSpec spec = world_with_redis({lease_client("a", 1, "ask")});
  spec.fault = FaultSpec{.kind = FaultSpec::Kind::discard, .delivery = 2};
  spec.limit = 30 * second;
  EXPECT_EQ(run_world(spec).end, WorldReport::End::limit);  // the server's own clock goes on
}

/// SET is executed after one way, and answered after two; a connection costs two more.
TEST(TracedRedis, EachMessageTakesItsLatency) {
  WorldSpec spec = world_with_redis({lease_client("a", 0, "die")});
  spec.latency = second;
  EXPECT_THAT(run_world(spec).hosts.at(1).output, StartsWith("acquired 1700000005.0"));
}

TEST(TracedNetwork, NobodyListensSoAConnectionIsRefused) {
  const WorldReport report = run_world(world_of(lease_client("a", 0, "ask")));
  EXPECT_EQ(report.hosts.at(0).output.substr(0, 7), "refused");
}

TEST(TracedNetwork, MoreThanABufferArrivesWholeAndInOrder) {
  const WorldReport report = run_world(world_of_python(
      "import socket, threading, time, hashlib\n"
      "l = socket.socket(); l.bind(('127.0.0.1', 0)); l.listen(); data = bytes(i * i % 251 for i in range(1000000))\n"
      "def f():\n  c = socket.create_connection(l.getsockname()); c.sendall(data); c.close()\n"
      "t = threading.Thread(target=f); t.start(); a, _ = l.accept(); time.sleep(1); got = b''\n"
      "while part := a.recv(65536): got += part\nt.join()\nprint(got == data)"));
  EXPECT_EQ(report.hosts.at(0).output, "True\n") << report.words << report.hosts.at(0).errors;
}

TEST(TracedNetwork, WhoBindsBeforeItConnectsIsSeenAtItsAddress) {
  const WorldReport report = run_world(world_of_python(
      "import socket\nl = socket.socket(); l.bind(('127.0.0.1', 700)); l.listen()\nc = socket.socket()\n"
      "c.bind(('127.0.2.1', 0)); c.connect(('127.0.0.1', 700)); a, peer = l.accept()\n"
      "print(peer[0], peer == c.getsockname() == a.getpeername(), a.getsockname()); c.send(b'x'); print(a.recv(1))"));
  EXPECT_EQ(report.hosts.at(0).output, "127.0.2.1 True ('127.0.0.1', 700)\nb'x'\n") << report.hosts.at(0).errors;
}

TEST(TracedNetwork, AListenerThatIsShutDownRefusesAndMayListenAgain) {
  const WorldReport report =
      run_world(world_of_python("import socket, select\nl = socket.socket(); l.bind(('127.0.0.1', 700)); l.listen()\n"
                                "def ask():\n  c = socket.socket()\n  return c.connect_ex(('127.0.0.1', 700))\n"
                                "l.shutdown(socket.SHUT_RDWR); print(ask() > 0, select.select([l], [], [], 1)[0])\n"
                                "l.listen(); print(ask(), len(select.select([l], [], [], 1)[0]))"));
  EXPECT_EQ(report.hosts.at(0).output, "True []\n0 1\n") << report.words << report.hosts.at(0).errors;
}

TEST(TracedNetwork, AddressesAreThoseOfTcp) {
  const WorldReport report = run_world(world_of_python(
      "import socket\nl = socket.socket(); l.bind(('127.0.0.1', 700)); l.listen()\n"
      "c = socket.create_connection(('127.0.0.1', 700)); a, peer = l.accept()\n"
      "print(c.getpeername(), a.getsockname(), peer == c.getsockname() == a.getpeername(), c.getsockname()[0])"));
  EXPECT_EQ(report.hosts.at(0).output, "('127.0.0.1', 700) ('127.0.0.1', 700) True 127.0.0.1\n");
}

}  // namespace
}  // namespace lockproof::tracer
