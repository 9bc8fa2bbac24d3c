// SPDX-License-Identifier: Apache-2.0
// A real ZooKeeper of ours: what a lost connection and silence mean for a session there, that it keeps all over its
// end, and that a store of ours goes on with its session over other connections.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/zookeeper/requests.hpp"
#include "harness/scenario/scenario.hpp"
#include "real/errors.hpp"
#include "real/record/witness.hpp"
#include "real/services/zookeeper/zookeeper_host.hpp"
#include "real/services/zookeeper/zookeeper_store.hpp"

namespace lockproof::real::zookeeper_host_test {
namespace {

namespace zk = lockproof::zookeeper;

constexpr milliseconds tick(50), long_session(1000), short_session(100);
constexpr std::int64_t speedup = 20;

void nap_for(milliseconds time) {
  const std::int64_t until = machine_ns() + time.count() * 1'000'000;
  while (machine_ns() < until) nap();
}

class ZooKeeperHostTest : public testing::Test, public PinnedObject {
 protected:
  void SetUp() override {
    spec.name = "zookeeper-1";
    host = std::make_unique<ZooKeeperHost>(spec, janitor, "my/lock", tick, "");
    host->await_ready();
    host->attach(loop);
    host->start(WorldTime(machine_ns(), speedup), false);
  }
  void TearDown() override { host->detach(); }
  template <class R>
  static Reply ask(ZooKeeperControl& control, const Call<R>& call) {
    return control.ask(call.command).value_or(Reply::error("no answer"));
  }
  SessionKey open(ZooKeeperControl& control, milliseconds timeout = long_session, const SessionKey& session = {}) {
    return control.connect(host->port(), timeout, session).value_or(Welcome{}).session;
  }

  Janitor janitor;
  EventLoop loop;
  harness::ServerSpec spec;
  std::unique_ptr<ZooKeeperHost> host;
  ZooKeeperControl a, b;
};

TEST_F(ZooKeeperHostTest, IdsOfSessionsComeOneAfterTheOther) {
  EXPECT_EQ(open(a).id, host->session_before() + 1);
  EXPECT_EQ(open(b).id, host->session_before() + 2);
}

TEST_F(ZooKeeperHostTest, ASessionOutlivesItsConnectionAndItsNodesAlso) {
  const SessionKey session = open(a);
  ASSERT_NE(session.id, 0);
  EXPECT_EQ(ask(a, zk::create_numbered(0, "my/lock/1-")), Reply::bulk("my/lock/1-0000000000"));
  a.close();
  EXPECT_TRUE(host->shows("my/lock"));
  EXPECT_EQ(open(b, long_session, session).id, session.id);
  EXPECT_EQ(ask(b, zk::remove(0, "my/lock/1-0000000000")), Reply::integer(1));
  EXPECT_FALSE(host->shows("my/lock"));
}

TEST_F(ZooKeeperHostTest, WithASessionThatIsSilentItsNodeGoesAndItsWatcherIsTold) {
  ASSERT_NE(open(b).id, 0);
  const SessionKey silent = open(a, short_session);
  ASSERT_EQ(ask(a, zk::create(0, "my/lock/x")), Reply::bulk("my/lock/x"));
  EXPECT_EQ(ask(b, zk::watch(0, "my/lock/x")), Reply::integer(1));
  const std::int64_t give_up = machine_ns() + 5'000'000'000;
  while (b.told() != std::vector<std::string>{"my/lock/x"}) {
    ASSERT_LT(machine_ns(), give_up) << "nobody was told";
    ASSERT_EQ(ask(b, zk::ping(0)), Reply::integer(1));
    nap_for(milliseconds(1));
  }
  EXPECT_EQ(open(a, short_session, silent).id, 0);
}

TEST_F(ZooKeeperHostTest, StartsAgainWithAllThatItHad) {
  const SessionKey session = open(a);
  ASSERT_EQ(ask(a, zk::create_numbered(0, "my/lock/1-")), Reply::bulk("my/lock/1-0000000000"));
  host->kill();
  EXPECT_TRUE(host->down());
  bool up = false;
  host->start_again([&] { up = true; });
  while (!up) loop.turn();
  EXPECT_TRUE(host->shows("my/lock"));
  EXPECT_EQ(open(b, long_session, session).id, session.id);
  EXPECT_EQ(ask(b, zk::create_numbered(0, "my/lock/1-")), Reply::bulk("my/lock/1-0000000001"));
}

TEST_F(ZooKeeperHostTest, StandsStillAndGoesOn) {
  ASSERT_NE(open(a).id, 0);
  host->child().stop();
  EXPECT_EQ(answer_to_word(host->port(), "srvr"), "");
  host->child().go_on();
  EXPECT_EQ(ask(a, zk::ping(0)), Reply::integer(1));
}

/// The store that a client has, with its own loop.
class ZooKeeperStoreTest : public ZooKeeperHostTest {
 protected:
  /// Writes down how each connection ended.
  class Words final : public Witness {
   public:
    void sent(const Place& place, int, const Command&) override { numbers += std::to_string(place.number); }
    void broken(harness::HostIndex) override { numbers += "!"; }
    std::string numbers;  // of commands on their connections
  };
  void SetUp() override {
    ZooKeeperHostTest::SetUp();
    store = make_store();
  }
  void TearDown() override {
    store.reset();
    ZooKeeperHostTest::TearDown();
  }
  std::unique_ptr<ZooKeeperStore> make_store() {
    return std::make_unique<ZooKeeperStore>(loop, Route{{"127.0.0.1", host->port()}, 1},
                                            CallTimeouts{seconds(60), harness::OnTimeout::reconnect, speedup}, words,
                                            codec, SessionNumbers{{host->session_before()}});
  }
  Task<void> call_into(Command command) { answer = co_await store->call(std::move(command)); }
  /// Its answer, as text.
  template <class R>
  Reply run(const Call<R>& call) {
    Task<void> task = call_into(call.command);
    task.start();
    while (!task.done()) loop.turn();
    return *answer ? **answer : Reply::error("none");
  }
  Task<void> wait_into(Name channel) {
    told = co_await store->message(std::move(channel), InstantAccess::make<Mono>(0));
  }

  const ZooKeeperCodec codec{};
  Words words;
  std::unique_ptr<ZooKeeperStore> store;
  std::optional<Result<Reply>> answer;
  bool told = false;
};

TEST_F(ZooKeeperStoreTest, ASessionHasASmallNumberAndAScaledTimeOut) {
  EXPECT_EQ(run(zk::connect(milliseconds(10'000))), Reply::array({Reply::integer(1), Reply::integer(10'000)}));
  EXPECT_EQ(run(zk::create_numbered(1, "my/lock/1-")), Reply::bulk("my/lock/1-0000000000"));
  EXPECT_EQ(run(zk::create(1, "my/lock/1-0000000000")), Reply::nil());
  EXPECT_EQ(run(zk::children(1, "my/lock")), Reply::array({Reply::bulk("1-0000000000")}));
  EXPECT_EQ(run(zk::ping(1)), Reply::integer(1));
  EXPECT_EQ(words.numbers, "12345");
}

TEST_F(ZooKeeperStoreTest, AnotherConnectionGoesOnWithTheSession) {
  ASSERT_FALSE(run(zk::connect(milliseconds(10'000))).is_error());
  ASSERT_EQ(run(zk::create(1, "my/lock/x")), Reply::bulk("my/lock/x"));
  const auto numbers = run(zk::connect(milliseconds(10'000)));  // and over another one again
  EXPECT_EQ(numbers, Reply::array({Reply::integer(2), Reply::integer(10'000)}));
  EXPECT_EQ(run(zk::ping(1)), Reply::integer(1));
  EXPECT_EQ(run(zk::remove(1, "my/lock/x")), Reply::integer(1));
  EXPECT_EQ(words.numbers, "12123");  // the handshake is the first message of the third connection
}

TEST_F(ZooKeeperStoreTest, ASessionThatHasEndedIsRefused) {
  ASSERT_EQ(run(zk::connect(milliseconds(2'000))), Reply::array({Reply::integer(1), Reply::integer(2'000)}));
  const std::int64_t give_up = machine_ns() + 10'000'000'000;
  while (words.numbers != "1!" && machine_ns() < give_up) {  // the server ends the connection
    EventLoop::Timer soon(loop, [] {});
    soon.set(machine_ns() + 1'000'000);
    loop.turn();
  }
  EXPECT_EQ(words.numbers, "1!");
  EXPECT_EQ(run(zk::ping(1)), Reply::error("SESSIONEXPIRED"));
  EXPECT_EQ(run(zk::ping(0)), Reply::error("SESSIONEXPIRED"));
  EXPECT_EQ(run(zk::ping(5)), Reply::error("SESSIONEXPIRED"));
}

TEST_F(ZooKeeperStoreTest, AWatchTellsTheCallThatWaitsAndTheOneThatWaitsLater) {
  ASSERT_NE(open(a).id, 0);
  ASSERT_EQ(ask(a, zk::create(0, "my/lock/x")), Reply::bulk("my/lock/x"));
  ASSERT_FALSE(run(zk::connect(milliseconds(10'000))).is_error());
  ASSERT_EQ(run(zk::watch(2, "my/lock/x")), Reply::integer(1));
  ASSERT_EQ(ask(a, zk::remove(0, "my/lock/x")), Reply::integer(1));
  ASSERT_EQ(run(zk::ping(2)), Reply::integer(1));  // the message stands in front of the answer
  Task<void> wait = wait_into("my/lock/x");
  wait.start();
  while (!wait.done()) loop.turn();
  EXPECT_TRUE(told);
  Task<void> none = wait_into("my/lock/x");
  none.start();
  while (!none.done()) loop.turn();
  EXPECT_FALSE(told);
}

TEST(ZooKeeperMissing, AJarAndAJavaAreNamedWithTheirPackages) {
  Janitor janitor;
  harness::ServerSpec spec;
  spec.name = "zookeeper-1";
  const std::string path = ::getenv("PATH");
  ASSERT_EQ(::setenv("PATH", "/nonexistent", 1), 0);
  try {
    const ZooKeeperHost host(spec, janitor, "lock", tick, "");
    ADD_FAILURE() << "it started";
  } catch (const BadEnvironment& e) {
    EXPECT_NE(std::string(e.what()).find("apt-get install default-jre-headless"), std::string::npos) << e.what();
  }
  ::setenv("PATH", path.c_str(), 1);
  try {
    const ZooKeeperProgram program("/nonexistent/zookeeper.jar", janitor.folder() + "/other", janitor);
    FAIL() << "there is such a file";
  } catch (const BadEnvironment& e) {
    EXPECT_NE(std::string(e.what()).find("cannot read '/nonexistent/zookeeper.jar'"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace lockproof::real::zookeeper_host_test
