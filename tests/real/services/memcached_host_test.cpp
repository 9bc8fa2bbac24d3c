// SPDX-License-Identifier: Apache-2.0
// A real memcached of ours: by whose clock it ticks, when, and what its log says.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "harness/scenario/scenario.hpp"
#include "real/os/descriptor.hpp"
#include "real/services/memcached/memcached_host.hpp"
#include "real/services/memcached/watched_log.hpp"

namespace lockproof::real::memcached_host_test {
namespace {

constexpr std::int64_t speedup = 20;
constexpr std::int64_t slower[] = {20, 5, 1};
const Reply stored = Reply::status("STORED"), not_stored = Reply::status("NOT_STORED");

class MemcachedHostTest : public testing::Test {
 protected:
  /// Starts it, so that it ticks with this phase; scenario time is about to begin.
  MemcachedHost& start(Duration phase, std::int64_t speed = speedup) {
    spec.name = "memcached-1";
    host = std::make_unique<MemcachedHost>(spec, phase, janitor, speed,
                                           ServerProgram{.name = "memcached", .package = "memcached"});
    host->await_ready();
    host->attach(loop);
    time = WorldTime(machine_ns() + WorldTime(0, speed).machine_ns_of(seconds(4)), speed);
    host->start(time, false);
    while (!host->is_settled()) loop.turn();
    return *host;
  }
  ~MemcachedHostTest() override {
    if (host) host->detach();
  }
  void await(Duration at) const {
    std::this_thread::sleep_for(std::chrono::nanoseconds(time.machine_at(at) - machine_ns()));
  }
  Reply ask(std::vector<Value> words) { return host->control().ask(Command(std::move(words))).value_or(Reply::nil()); }

  Janitor janitor;
  EventLoop loop;
  harness::ServerSpec spec;
  std::unique_ptr<MemcachedHost> host;
  WorldTime time{0, 1};
};

/// 150 ms are 7.5 ms of the machine, in which a busy one may not wake the server or this test: then it has more time.
TEST_F(MemcachedHostTest, TicksWithItsPhase) {
  const auto ticks_with = [this](milliseconds phase, std::int64_t speed) {
    start(phase, speed);
    await(seconds(1) + phase - milliseconds(400));
    std::vector<Reply> replies{ask({"add", "lock", "a", "1"})};
    await(seconds(1) + phase - milliseconds(150));
    replies.push_back(ask({"add", "lock", "b", "1"}));
    await(seconds(1) + phase + milliseconds(150));
    replies.push_back(ask({"add", "lock", "b", "1"}));
    host->detach();
    return replies == std::vector{stored, not_stored, stored};
  };
  for (const milliseconds phase : {milliseconds(0), milliseconds(500)}) {
    EXPECT_TRUE(std::ranges::any_of(slower, [&](std::int64_t speed) { return ticks_with(phase, speed); }))
        << phase.count();
  }
}

TEST_F(MemcachedHostTest, AJumpOfTheWallClockMovesNoLease) {
  start({});
  EXPECT_EQ(ask({"add", "lock", "a", "30"}), stored);
  host->jump(std::chrono::hours(1));
  await(milliseconds(1'500));
  EXPECT_EQ(ask({"add", "lock", "b", "30"}), not_stored);
}

TEST_F(MemcachedHostTest, AnEvictionTakesTheLockOnly) {
  start({});
  (void)ask({"add", "lock", "a", "30"});
  (void)ask({"add", "other", "a", "30"});
  harness::Fault evict;
  evict.kind = harness::FaultKind::evict;
  host->apply(evict, "lock", "lockproof-fault-1");
  EXPECT_FALSE(host->shows("lock"));
  EXPECT_TRUE(host->shows("other"));
  EXPECT_TRUE(host->finish());
  const auto ran = host->executions();
  ASSERT_EQ(ran.size(), 1u);  // our own commands are none of a client's
  EXPECT_EQ(ran[0].mark, "lockproof-fault-1");
}

/// A busy server may take up the second connection, which rouses its log, when it already writes the log; what is asked
/// there would then seem to be a client's. So nobody asks for the log before the server has answered on the second.
TEST(WatchedLog, BeginsWhenTheServerHasTakenUpBothConnections) {
  const Descriptor listener(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(listener.get(), 2), 0);
  ASSERT_EQ(::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  bool was_early = true;
  std::jthread server([&] {
    const Descriptor log(::accept(listener.get(), nullptr, nullptr));
    const Descriptor rouser(::accept(listener.get(), nullptr, nullptr));
    char bytes[256];
    (void)::recv(rouser.get(), bytes, sizeof bytes, 0);
    pollfd ready{log.get(), POLLIN, 0};
    was_early = ::poll(&ready, 1, 20) != 0;
    (void)::send(rouser.get(), "END\r\n", 5, MSG_NOSIGNAL);
    (void)::recv(log.get(), bytes, sizeof bytes, 0);
    (void)::send(log.get(), "OK\r\n", 4, MSG_NOSIGNAL);
  });
  const WatchedLog log(ntohs(address.sin_port));
  server.join();
  EXPECT_FALSE(was_early);
}

/// What the fault `evict` stands for: it needs no operator, only many small sets.
TEST_F(MemcachedHostTest, SmallSetsEvictALockThatNobodyAsksFor) {
  start({});
  EXPECT_EQ(ask({"add", "lock", "a", "0"}), stored);
  bool there = true;
  for (int batch = 0; batch < 40'000 && there; ++batch) {
    std::vector<Command> sets;
    for (int i = 0; i < 20; ++i) sets.push_back(Command({"set", "small-" + std::to_string(batch * 20 + i), "x", "0"}));
    ASSERT_TRUE(host->control().ask_together(sets));
    if (batch % 500 == 499) there = host->control().statistic("evictions").value_or(0) == 0 || host->shows("lock");
  }
  EXPECT_FALSE(there);
}

TEST_F(MemcachedHostTest, StartsAgainWithoutItsItems) {
  start({});
  (void)ask({"add", "lock", "a", "30"});
  host->kill();
  EXPECT_TRUE(host->down());
  bool up = false;
  host->start_again([&] { up = true; });
  while (!up) loop.turn();
  EXPECT_FALSE(host->down());
  EXPECT_FALSE(host->has("lock"));
}

}  // namespace
}  // namespace lockproof::real::memcached_host_test
