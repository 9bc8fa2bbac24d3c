// SPDX-License-Identifier: Apache-2.0
// A real etcd of ours: what a lost connection and silence mean for a lease there, that it keeps all over its end, and
// what a store of ours makes of its watches.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "algorithms/etcd/requests.hpp"
#include "harness/scenario/scenario.hpp"
#include "real/errors.hpp"
#include "real/record/witness.hpp"
#include "real/services/etcd/etcd_control.hpp"
#include "real/services/etcd/etcd_host.hpp"
#include "real/services/etcd/etcd_store.hpp"
#include "real/services/server_program.hpp"

namespace lockproof::real::etcd_host_test {
namespace {

namespace client = lockproof::etcd;

class EtcdHostTest : public testing::Test, public PinnedObject {
 protected:
  void SetUp() override {
    spec.name = "etcd-1";
    host = std::make_unique<EtcdHost>(spec, janitor, "my/lock", "");
    host->await_ready();
    host->attach(loop);
    host->start(WorldTime(machine_ns(), 1), false);
    a = std::make_unique<EtcdControl>(host->port());
  }
  void TearDown() override { host->detach(); }
  template <class R>
  R ask(const Call<R>& call) {
    return *call.read(a->ask(call.command).value_or(Reply::error("no answer")));
  }
  void kill_and_start() {
    host->kill();
    EXPECT_TRUE(host->down());
    bool up = false;
    host->start_again([&] { up = true; });
    while (!up) loop.turn();
    a = std::make_unique<EtcdControl>(host->port());
  }

  Janitor janitor;
  EventLoop loop;
  harness::ServerSpec spec;
  std::unique_ptr<EtcdHost> host;
  std::unique_ptr<EtcdControl> a;
};

TEST_F(EtcdHostTest, ALeaseOutlivesItsConnectionAndItsKeysAlso) {
  const client::Lease lease = ask(client::grant(seconds(60)));
  EXPECT_TRUE(ask(client::put_if_absent("my/lock/1", lease.id, "my/lock/")).done);
  a = std::make_unique<EtcdControl>(host->port());
  EXPECT_TRUE(host->shows("my/lock"));
  EXPECT_EQ(ask(client::keep_alive(lease.id)), seconds(60));
  EXPECT_TRUE(ask(client::remove("my/lock/1")));
  EXPECT_FALSE(host->shows("my/lock"));
}

TEST_F(EtcdHostTest, ALeaseThatIsSilentEndsAfterItsTime) {
  const std::int64_t asked = machine_ns();
  const client::Lease lease = ask(client::grant(seconds(1)));
  EXPECT_EQ(lease.ttl, seconds(2));
  EXPECT_TRUE(ask(client::put_if_absent("my/lock/1", lease.id, "my/lock/")).done);
  while (host->shows("my/lock") && machine_ns() < asked + 20'000'000'000) nap();
  EXPECT_GE(machine_ns(), asked + 2'000'000'000);
  EXPECT_EQ(ask(client::keep_alive(lease.id)), std::nullopt);
}

TEST_F(EtcdHostTest, StartsAgainWithAllThatItHad) {
  const client::Lease lease = ask(client::grant(seconds(60)));
  const client::Put put = ask(client::put_if_absent("my/lock/1", lease.id, "my/lock/"));
  kill_and_start();
  EXPECT_TRUE(host->shows("my/lock"));
  EXPECT_EQ(ask(client::keep_alive(lease.id)), seconds(60));
  EXPECT_EQ(ask(client::put_if_absent("my/lock/2", lease.id, "my/lock/")).created, put.created + 1);
}

TEST_F(EtcdHostTest, ItsWatchTellsOfAllChangesAlsoOverAnEnd) {
  EXPECT_TRUE(ask(client::put_if_absent("my/lock", client::no_lease, "my/lock")).done);
  kill_and_start();
  EXPECT_TRUE(ask(client::remove("my/lock")));
  EXPECT_TRUE(host->finish()) << "it has not told of the deletion";
}

TEST_F(EtcdHostTest, StandsStillAndGoesOn) {
  host->child().stop();
  host->child().go_on();
  EXPECT_FALSE(ask(client::remove("my/lock")));
}

/// The store that a client has, with its own loop.
class EtcdStoreTest : public EtcdHostTest {
 protected:
  /// Writes down the messages and the connections that they took.
  class Words final : public Witness {
   public:
    void sent(const Place& place, int message, const Command&) override {
      numbers += std::to_string(message) + "." + std::to_string(place.number) + " ";
    }
    void broken(harness::HostIndex) override { numbers += "!"; }
    std::string numbers;
  };
  void SetUp() override {
    EtcdHostTest::SetUp();
    store = std::make_unique<EtcdStore>(loop, Route{{"127.0.0.1", host->port()}, 1},
                                        CallTimeouts{seconds(60), harness::OnTimeout::reconnect, 1}, words, codec);
  }
  void TearDown() override {
    store.reset();
    EtcdHostTest::TearDown();
  }
  Task<void> call_into(Command command) { answer = co_await store->call(std::move(command)); }
  template <class R>
  R run(const Call<R>& call) {
    Task<void> task = call_into(call.command);
    task.start();
    while (!task.done()) loop.turn();
    return *call.read(*answer ? **answer : Reply::error("none"));
  }
  Task<void> wait_into(Name channel, Mono until) { told = co_await store->message(std::move(channel), until); }
  bool wait(const char* channel, std::int64_t until_ns) {
    Task<void> task = wait_into(Name(channel), InstantAccess::make<Mono>(until_ns / 1000));
    task.start();
    while (!task.done()) loop.turn();
    return told;
  }

  const EtcdCodec codec{};
  Words words;
  std::unique_ptr<EtcdStore> store;
  std::optional<Result<Reply>> answer;
  bool told = false;
};

TEST_F(EtcdStoreTest, AWatchHasAConnectionOfItsOwnAndMessagesAreNumberedTogether) {
  const client::Put put = run(client::put_if_absent("my/lock/1", client::no_lease, "my/lock/"));
  EXPECT_TRUE(run(client::watch("my/lock/1", put.now)));
  EXPECT_TRUE(run(client::get("my/lock/1")).has_value());
  EXPECT_TRUE(run(client::watch("my/lock/1", put.now)));
  EXPECT_EQ(words.numbers, "1.1 2.1 3.2 4.1 ");
}

TEST_F(EtcdStoreTest, AWatchTellsTheCallThatWaits) {
  const client::Put put = run(client::put_if_absent("my/lock/1", client::no_lease, "my/lock/"));
  EXPECT_TRUE(run(client::watch("my/lock/1", put.now)));
  EXPECT_TRUE(ask(client::remove("my/lock/1")));
  EXPECT_TRUE(wait("my/lock/1", machine_ns() + 20'000'000'000));
  EXPECT_FALSE(wait("my/lock/1", 0)) << "it has been taken";
}

TEST_F(EtcdStoreTest, AWatchTellsWhatHappenedBeforeIt) {
  const client::Put put = run(client::put_if_absent("my/lock/1", client::no_lease, "my/lock/"));
  EXPECT_TRUE(run(client::remove("my/lock/1")));
  EXPECT_TRUE(run(client::watch("my/lock/1", put.now)));
  EXPECT_TRUE(wait("my/lock/1", machine_ns() + 20'000'000'000));
}

TEST(EtcdMissing, TheProgramIsNamedWithItsPackage) {
  Janitor janitor;
  harness::ServerSpec spec;
  spec.name = "etcd-1";
  const std::string path = ::getenv("PATH");
  ASSERT_EQ(::setenv("PATH", "/nonexistent", 1), 0);
  try {
    const EtcdHost host(spec, janitor, "lock", "");
    ADD_FAILURE() << "it started";
  } catch (const BadEnvironment& e) {
    EXPECT_NE(std::string(e.what()).find("apt-get install etcd-server"), std::string::npos) << e.what();
  }
  ::setenv("PATH", path.c_str(), 1);
}

}  // namespace
}  // namespace lockproof::real::etcd_host_test
