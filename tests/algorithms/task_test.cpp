// SPDX-License-Identifier: Apache-2.0
#include "algorithms/port/task.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <vector>

namespace lockproof::task_test {
namespace {

/// Suspends until the test resumes it.
struct Gate : PinnedObject {
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> h) { waiting = h; }
  void await_resume() const noexcept {}
  std::coroutine_handle<> waiting;
};

Task<int> value(int n) { co_return n; }
Task<int> sum(int count) {
  int total = 0;
  for (int i = 0; i < count; ++i) {
    const int n = co_await value(i);
    total += n;
  }
  co_return total;
}
Task<void> throws() {
  const int n = co_await value(1);
  if (n == 1) throw std::runtime_error("boom");
}
Task<int> awaits_throws() {
  const int before = co_await value(1);
  co_await throws();
  co_return before;
}
Task<void> through(Gate& gate, std::shared_ptr<int> held) {
  co_await gate;
  ++*held;
}

TEST(Task, DoesNotStartBeforeItIsStarted) {
  auto held = std::make_shared<int>(0);
  Gate gate;
  auto task = through(gate, held);
  EXPECT_FALSE(gate.waiting);
  task.start();
  EXPECT_TRUE(gate.waiting);
}

TEST(Task, GoesOnWhereItWasSuspended) {
  auto held = std::make_shared<int>(0);
  Gate gate;
  auto task = through(gate, held);
  task.start();
  EXPECT_FALSE(task.done());
  gate.waiting.resume();
  EXPECT_TRUE(task.done());
  EXPECT_EQ(*held, 1);
}

TEST(Task, DestroyingItDestroysWhatItsFrameHolds) {
  auto held = std::make_shared<int>(0);
  Gate gate;
  {
    auto task = through(gate, held);
    task.start();
    EXPECT_EQ(held.use_count(), 2);
  }
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(*held, 0);
}

TEST(Task, DestroyingItBeforeTheStartDestroysItsArguments) {
  auto held = std::make_shared<int>(0);
  Gate gate;
  { auto task = through(gate, held); }
  EXPECT_EQ(held.use_count(), 1);
}

TEST(Task, AnExceptionReachesWhoAwaits) {
  auto task = awaits_throws();
  task.start();
  ASSERT_TRUE(task.done());
  EXPECT_THROW(task.result(), std::runtime_error);
}

TEST(Task, ManyChildrenThatFinishAtOnceDoNotGrowTheStack) {
  if (!LOCKPROOF_HANDS_OVER_BY_TAIL_CALLS)
    GTEST_SKIP() << "what GCC's sanitizers put around calls leaves no tail calls";
  auto task = sum(20'000);
  task.start();
  ASSERT_TRUE(task.done());
  EXPECT_EQ(task.result(), 20'000 / 2 * 19'999);
}

}  // namespace
}  // namespace lockproof::task_test
