// SPDX-License-Identifier: Apache-2.0
// The store on real connections: what happens when replies are late, lost or never come.
#include "real/services/redis/hiredis_store.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "algorithms/redis/requests.hpp"
#include "real/clock/world_time.hpp"
#include "real/os/janitor.hpp"
#include "real/services/redis/server_process.hpp"

namespace lockproof::tests::store_test {
namespace {

using harness::OnTimeout;

/// Counts what it sees.
class CountingWitness final : public real::Witness {
 public:
  void sent(const real::Place& place, int, const Command&) override {
    ++sends;
    numbers.push_back(place.number);
  }
  void received(harness::HostIndex, int, const Reply&) override { ++receipts; }
  void discarded(harness::HostIndex, int, const Reply&) override { ++discards; }
  void timed_out(harness::HostIndex, int) override { ++time_outs; }
  std::vector<int> numbers;  // on their connections
  int sends = 0, receipts = 0, discards = 0, time_outs = 0;
};

class StoreTest : public testing::Test, public PinnedObject {
 protected:
  StoreTest() { ::signal(SIGPIPE, SIG_IGN); }

  void start(OnTimeout on_timeout, std::size_t servers = 1, Duration timeout = milliseconds(50)) {
    for (std::size_t i = 0; i < servers; ++i) {
      servers_.push_back(
          std::make_unique<real::ServerProcess>("redis-" + std::to_string(i + 1), janitor_, real::epoch_us, 1));
    }
    for (const auto& server : servers_) {
      server->await_ready();
      stores_.add(std::make_unique<real::HiredisStore>(loop_, real::Route{{"127.0.0.1", server->port()}, 0},
                                                       real::CallTimeouts{timeout, on_timeout, 1}, witness_));
    }
  }
  Store& store() { return stores_.at(0); }
  void complete(Task<void>& task) {
    task.start();
    finish(task);
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

  Task<void> get_into(int slot) {
    const auto got = co_await store().run(redis::get("k"));
    results_.resize(static_cast<std::size_t>(slot) + 1, std::nullopt);
    results_[static_cast<std::size_t>(slot)] = got ? std::nullopt : std::optional(got.error());
    ++ended_;
  }
  Task<void> set_then_get() {
    const auto set = co_await store().run(redis::set_nx_px("k", "v", milliseconds(60'000)));
    EXPECT_TRUE(set && *set);
    const auto got = co_await store().run(redis::get("k"));
    EXPECT_TRUE(got && *got && **got == Value("v"));
    ++ended_;
  }
  Task<void> binary() {
    const std::string odd("a\0b\r\n\xff", 6);
    const auto set = co_await store().run(redis::setnx(Name(odd), Value(odd)));
    EXPECT_TRUE(set && *set);
    const auto got = co_await store().run(redis::get(Name(odd)));
    EXPECT_TRUE(got && *got && (**got).bytes() == odd);
    ++ended_;
  }
  Task<void> subscribe_to(Name channel) {
    const auto done = co_await store().subscribe(std::move(channel));
    EXPECT_TRUE(done);
    ++ended_;
  }
  Task<void> gather_ping() {
    std::vector<Value> words;
    words.emplace_back("PING");
    replies_ = co_await stores_.gather(Command(std::move(words)), milliseconds(50));
    ++ended_;
  }

  real::Janitor janitor_;
  real::EventLoop loop_;
  CountingWitness witness_;
  std::vector<std::unique_ptr<real::ServerProcess>> servers_;
  real::RemoteStores stores_{loop_};
  std::vector<std::optional<Error>> results_;
  Replies replies_;
  int ended_ = 0;
};

TEST_F(StoreTest, SendsAndReceives) {
  start(OnTimeout::discard);
  Task<void> task = set_then_get();
  complete(task);
  EXPECT_EQ(ended_, 1);
  EXPECT_EQ(witness_.sends, 2);
  EXPECT_EQ(witness_.receipts, 2);
}

TEST_F(StoreTest, WhatIsLookedAtAndRefusedIsNotSent) {
  start(OnTimeout::discard, 2);
  for (std::size_t i : {0U, 1U}) {
    stores_.at(i).look_with([](const Command& command) {
      if (command.verb() != "SET") throw std::logic_error("no " + std::string(command.verb()));
    });
  }
  Task<void> one = set_then_get();
  EXPECT_THROW(complete(one), std::logic_error);
  EXPECT_EQ(witness_.sends, 1);
  Task<void> all = gather_ping();
  EXPECT_THROW(complete(all), std::logic_error);
  Task<void> channel = subscribe_to("c");
  EXPECT_THROW(complete(channel), std::logic_error);
  EXPECT_EQ(witness_.sends, 1);
}

TEST_F(StoreTest, EachConnectionIntroducesItselfAndNobodyHearsOfIt) {
  start(OnTimeout::reconnect);
  static_cast<void>(servers_[0]->ask({"CONFIG", "SET", "requirepass", "secret"}));
  stores_.at(0).introduce_with(Command({"AUTH", "secret"}));
  Task<void> task = set_then_get();
  complete(task);
  Task<void> channel = subscribe_to("c");
  complete(channel);
  EXPECT_EQ(ended_, 2);
  EXPECT_EQ(witness_.sends, 3);
  EXPECT_EQ(witness_.numbers, (std::vector<int>{2, 3, 2}));  // the first on each is what it says of itself
}

TEST_F(StoreTest, CarriesAnyBytes) {
  start(OnTimeout::discard);
  Task<void> task = binary();
  complete(task);
}

TEST_F(StoreTest, AReplyAfterTheTimeOutIsDiscarded) {
  start(OnTimeout::discard);
  servers_[0]->process().stop();
  Task<void> task = get_into(0);
  complete(task);
  EXPECT_EQ(results_[0], Error::no_reply);
  EXPECT_EQ(witness_.time_outs, 1);
  servers_[0]->process().go_on();
  turn_for(milliseconds(30));
  EXPECT_EQ(witness_.discards, 1);
  EXPECT_EQ(ended_, 1);
}

TEST_F(StoreTest, AReplyForADestroyedTaskFindsNobody) {
  start(OnTimeout::discard);
  servers_[0]->process().stop();
  {
    Task<void> task = get_into(0);
    task.start();
    loop_.settle();
    EXPECT_EQ(witness_.sends, 1);
  }
  servers_[0]->process().go_on();
  turn_for(milliseconds(30));
  EXPECT_EQ(witness_.discards, 1);
  EXPECT_EQ(ended_, 0);
}

TEST_F(StoreTest, ATaskDestroyedBeforeItsCommandLeavesSendsNothing) {
  start(OnTimeout::discard);
  {
    Task<void> task = get_into(0);
    task.start();
  }
  turn_for(milliseconds(5));
  EXPECT_EQ(witness_.sends, 0);
}

TEST_F(StoreTest, ATaskDestroyedBetweenItsReplyAndItsNextStepIsNotResumed) {
  start(OnTimeout::reconnect);
  Task<void> first = get_into(0);
  first.start();
  loop_.settle();
  servers_[0]->process().kill();
  std::optional<Task<void>> second = get_into(1);
  second->start();
  turn_for(milliseconds(20));
  EXPECT_TRUE(first.done());
  second.reset();
  turn_for(milliseconds(60));
}

TEST_F(StoreTest, OnReconnectATimeOutEndsAllCallsOfTheConnection) {
  start(OnTimeout::reconnect);
  servers_[0]->process().stop();
  Task<void> early = get_into(0);
  early.start();
  turn_for(milliseconds(30));
  Task<void> late = get_into(1);
  late.start();
  const std::int64_t before = real::machine_ns();
  finish(early);
  finish(late);
  EXPECT_LT(real::machine_ns() - before, 45'000'000) << "the second call's own time-out had not come";
  EXPECT_EQ(results_[0], Error::no_reply);
  EXPECT_EQ(results_[1], Error::no_reply);
  EXPECT_EQ(witness_.time_outs, 1);
  servers_[0]->process().go_on();
  turn_for(milliseconds(20));
  EXPECT_EQ(witness_.discards, 0) << "nobody listens on the old connection";
  Task<void> again = set_then_get();
  complete(again);
}

TEST_F(StoreTest, ARefusedConnectionEndsTheCallAtOnce) {
  start(OnTimeout::reconnect);
  servers_[0]->process().kill();
  Task<void> task = get_into(0);
  complete(task);
  EXPECT_EQ(results_[0], Error::not_sent);
  EXPECT_EQ(witness_.time_outs, 0);
}

TEST_F(StoreTest, ADyingServerLeavesItOpenWhetherTheCommandRan) {
  start(OnTimeout::reconnect, 1, milliseconds(5'000));
  Task<void> warm_up = set_then_get();
  complete(warm_up);
  servers_[0]->process().stop();
  Task<void> task = get_into(0);
  task.start();
  loop_.settle();
  servers_[0]->process().kill();
  finish(task);
  EXPECT_EQ(results_[0], Error::no_reply);
}

TEST_F(StoreTest, AGatherReturnsInServerOrderWithWhatHasCome) {
  start(OnTimeout::discard, 3);
  servers_[1]->process().stop();
  Task<void> task = gather_ping();
  complete(task);
  ASSERT_EQ(replies_.size(), 3U);
  EXPECT_TRUE(replies_[0].ok());
  EXPECT_FALSE(replies_[1].ok());
  EXPECT_TRUE(replies_[2].ok());
  EXPECT_EQ(witness_.time_outs, 1);
}

/// The process is stopped right after its command has left, and goes on long after the time-out.
TEST_F(StoreTest, AfterAStopAReplyThatHasArrivedIsSeenBeforeItsTimeOut) {
  for (int i = 0; i < 10; ++i) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      start(OnTimeout::reconnect);
      Task<void> warm_up = set_then_get();
      complete(warm_up);
      Task<void> task = get_into(0);
      task.start();
      loop_.settle();
      ::raise(SIGSTOP);
      finish(task);
      ::_exit(witness_.time_outs == 0 && witness_.receipts == 3 && !results_[0] ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(pid, &status, WUNTRACED), pid);
    ASSERT_TRUE(WIFSTOPPED(status)) << status;
    std::this_thread::sleep_for(milliseconds(70));  // and do not turn the loop: the child has it, too
    ::kill(pid, SIGCONT);
    ASSERT_EQ(::waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0);
  }
}

}  // namespace
}  // namespace lockproof::tests::store_test
