// SPDX-License-Identifier: Apache-2.0
// Subscriptions on real connections, and a server that breaks them.
#include <gtest/gtest.h>
#include <signal.h>

#include <memory>
#include <vector>

#include "real/clock/world_time.hpp"
#include "real/os/janitor.hpp"
#include "real/services/redis/hiredis_store.hpp"
#include "real/services/redis/server_process.hpp"

namespace lockproof::tests::news_test {
namespace {

class NewsWitness final : public real::Witness {
 public:
  void news(harness::HostIndex, const std::string& channel) override { channels.push_back(channel); }
  void broken(harness::HostIndex) override { ++breaks; }
  std::vector<std::string> channels;
  int breaks = 0;
};

class NewsTest : public testing::Test, public PinnedObject {
 protected:
  NewsTest() {
    ::signal(SIGPIPE, SIG_IGN);
    server_.await_ready();
    store_ = std::make_unique<real::HiredisStore>(loop_, real::Route{{"127.0.0.1", server_.port()}, 0},
                                                  real::CallTimeouts{seconds(1), harness::OnTimeout::reconnect, 1},
                                                  witness_);
    store_->count_by(clock_);
  }

  void finish(Task<void>& task) {
    const std::int64_t give_up = real::machine_ns() + 5'000'000'000;
    while (!task.done() && real::machine_ns() < give_up) loop_.turn();
    ASSERT_TRUE(task.done());
    task.result();
  }
  void turn_for(milliseconds time) {
    bool over = false;
    real::EventLoop::Timer timer(loop_, [&] { over = true; });
    timer.set(real::machine_ns() + time.count() * 1'000'000);
    while (!over) loop_.turn();
  }

  Task<void> subscribe() {
    const auto confirmed = co_await store_->subscribe("news");
    subscribed_ = confirmed.ok();
  }
  Task<void> wait(milliseconds at_most) {
    const Mono until = clock_.mono() + at_most;
    came_ = co_await store_->message("news", until);
  }
  bool waited(milliseconds at_most) {
    Task<void> task = wait(at_most);
    task.start();
    finish(task);
    return came_;
  }
  void begin() {
    Task<void> task = subscribe();
    task.start();
    finish(task);
    ASSERT_TRUE(subscribed_);
  }
  void publish() { ASSERT_TRUE(server_.ask({"PUBLISH", "news", "x"})); }

  real::Janitor janitor_;
  real::EventLoop loop_;
  NewsWitness witness_;
  real::ServerProcess server_{"redis-1", janitor_, real::epoch_us, 1};
  const std::atomic<std::int64_t> jumped_us_{0};
  real::HostClock clock_{real::WorldTime(real::machine_ns(), 1), harness::ClockSpec{}, jumped_us_};
  std::unique_ptr<real::HiredisStore> store_;
  bool subscribed_ = false, came_ = false;
};

TEST_F(NewsTest, AMessageEndsTheWait) {
  begin();
  Task<void> task = wait(milliseconds(2'000));
  task.start();
  turn_for(milliseconds(10));
  EXPECT_FALSE(task.done());
  publish();
  const std::int64_t before = real::machine_ns();
  finish(task);
  EXPECT_TRUE(came_);
  EXPECT_LT(real::machine_ns() - before, 1'000'000'000);
  EXPECT_EQ(witness_.channels, std::vector<std::string>{"news"});
}

TEST_F(NewsTest, WithoutAMessageTheWaitEndsInTime) {
  begin();
  const std::int64_t before = real::machine_ns();
  EXPECT_FALSE(waited(milliseconds(50)));
  EXPECT_GE(real::machine_ns() - before, 49'000'000);
}

TEST_F(NewsTest, SeveralMessagesInBetweenCountAsOne) {
  begin();
  publish();
  publish();
  turn_for(milliseconds(20));
  EXPECT_TRUE(waited(milliseconds(2'000)));
  EXPECT_FALSE(waited(milliseconds(20)));
}

TEST_F(NewsTest, AWaitThatIsDestroyedLetsTheNextOneHaveTheMessage) {
  begin();
  {
    Task<void> task = wait(milliseconds(2'000));
    task.start();
    turn_for(milliseconds(5));
  }
  publish();
  turn_for(milliseconds(20));
  EXPECT_TRUE(waited(milliseconds(2'000)));
}

TEST_F(NewsTest, ASubscriptionEndsWithItsServer) {
  begin();
  server_.process().kill();
  turn_for(milliseconds(20));
  EXPECT_EQ(witness_.breaks, 1);
  EXPECT_FALSE(waited(milliseconds(20)));
  Task<void> again = subscribe();
  again.start();
  finish(again);
  EXPECT_FALSE(subscribed_);
}

TEST_F(NewsTest, ASubscriptionThatIsNotConfirmedTimesOut) {
  server_.process().stop();
  Task<void> task = subscribe();
  task.start();
  finish(task);
  EXPECT_FALSE(subscribed_);
}

}  // namespace
}  // namespace lockproof::tests::news_test
