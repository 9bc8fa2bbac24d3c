// SPDX-License-Identifier: Apache-2.0
// WAIT on a real master: which replicas it counts. The simulated node does the same, see
// tests/sim/replica_links_test.cpp.
#include <gtest/gtest.h>

#include "real/clock/world_time.hpp"
#include "real/services/redis/redis_host.hpp"

namespace lockproof::tests::wait_test {
namespace {

class Wait : public testing::Test {
 protected:
  Wait() {
    for (real::RedisHost* host : {&master_, &one_, &other_}) host->await_ready();
    for (real::RedisHost* replica : {&one_, &other_}) {
      replica->replicate_from(master_.process().port());
      const std::int64_t give_up = real::machine_ns() + 5'000'000'000;
      while (!replica->in_step() && real::machine_ns() < give_up) {
      }
    }
    set();
    EXPECT_EQ(waits("2", "5000"), 2) << "both follow";
  }
  void set() { EXPECT_TRUE(master_.process().ask({"SET", "key", "value"})); }
  std::int64_t waits(const char* replicas, const char* ms) {
    const auto counted = master_.process().ask({"WAIT", replicas, ms});
    return counted ? counted->integer() : -1;
  }

  real::Janitor janitor_;
  const harness::ServerSpec specs_[3] = {{"redis-1", {}}, {"redis-2", {}}, {"redis-3", {}}};
  real::RedisHost master_{specs_[0], janitor_, 1, {}}, one_{specs_[1], janitor_, 1, {}},
      other_{specs_[2], janitor_, 1, {}};
};

TEST_F(Wait, CountsTheReplicasThatHaveAllThatWasWrittenBefore) {
  one_.process().process().stop();
  EXPECT_EQ(waits("2", "50"), 2) << "nothing was written since they said that they have all";
  set();
  EXPECT_EQ(waits("2", "100"), 1);
  const std::int64_t before = real::machine_ns();
  EXPECT_EQ(waits("1", "5000"), 1);
  EXPECT_LT(real::machine_ns() - before, 2'000'000'000) << "it answers when they are enough";
  one_.process().process().go_on();
  EXPECT_EQ(waits("2", "5000"), 2);
}

TEST_F(Wait, AnswersWithFewerWhenItsTimeHasPassed) {
  one_.process().process().stop();
  other_.process().process().stop();
  set();
  const std::int64_t before = real::machine_ns();
  EXPECT_EQ(waits("1", "100"), 0);
  EXPECT_GE(real::machine_ns() - before, 100'000'000);
}

}  // namespace
}  // namespace lockproof::tests::wait_test
