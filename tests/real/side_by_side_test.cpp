// SPDX-License-Identifier: Apache-2.0
#include "real/os/side_by_side.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>

#include <atomic>
#include <new>
#include <stdexcept>
#include <vector>

#include "real/errors.hpp"

namespace lockproof::tests::side_by_side_test {
namespace {

void nap_ms(std::int64_t ms) {
  const timespec time{0, ms * 1'000'000};
  ::nanosleep(&time, nullptr);
}

TEST(SideBySide, AnswersComeInOrderWhateverTheirTurn) {
  std::vector<std::string> answers;
  real::side_by_side(
      6, 3,
      [](std::size_t i) {
        nap_ms(static_cast<std::int64_t>(6 - i) * 10);
        return std::string(100'000, static_cast<char>('a' + i));  // more than a pipe holds
      },
      [&](std::size_t i, std::string answer) {
        EXPECT_EQ(i, answers.size());
        answers.push_back(std::move(answer));
      });
  ASSERT_EQ(answers.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(answers[i], std::string(100'000, static_cast<char>('a' + i)));
}

TEST(SideBySide, WhatTheMachineLacksIsSaidAsSuch) {
  const auto lacks = [](std::size_t) -> std::string { throw real::BadEnvironment("no redis-server"); };
  EXPECT_THROW(real::side_by_side(2, 2, lacks, [](std::size_t, const std::string&) {}), real::BadEnvironment);
}

TEST(SideBySide, WhatMayNotStartIsLeftOutAndWhatRunsEnds) {
  std::vector<std::size_t> ended;
  int asked = 0;
  real::side_by_side(
      6, 2,
      [](std::size_t) {
        nap_ms(20);
        return std::string();
      },
      [&](std::size_t i, const std::string&) { ended.push_back(i); }, [&] { return ++asked == 1; });
  EXPECT_EQ(ended, (std::vector<std::size_t>{0, 1}));
  real::side_by_side(
      2, 2, [](std::size_t) { return std::string(); }, [&](std::size_t i, const std::string&) { ended.push_back(i); },
      [] { return false; });
  EXPECT_EQ(ended.size(), 2U) << "nothing at all";
}

TEST(SideBySide, NoMoreAtOnceThanAskedFor) {
  struct Seen {
    std::atomic<int> now{0}, most{0};
  };
  void* page = ::mmap(nullptr, sizeof(Seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  Seen& seen = *new (page) Seen;
  real::side_by_side(
      8, 2,
      [&](std::size_t) {
        const int now = ++seen.now;
        int most = seen.most;
        while (now > most && !seen.most.compare_exchange_weak(most, now)) {
        }
        nap_ms(20);
        --seen.now;
        return std::string();
      },
      [](std::size_t, const std::string&) {});
  EXPECT_EQ(seen.most, 2);
  ::munmap(page, sizeof(Seen));
}

TEST(SideBySide, WhatGoesWrongThereIsThrownHere) {
  const auto none = [](std::size_t, const std::string&) {};
  const auto throws = [](std::size_t i) -> std::string {
    if (i == 1) throw std::runtime_error("no such luck");
    return "";
  };
  try {
    real::side_by_side(3, 2, throws, none);
    FAIL();
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "no such luck");
  }
  const auto dies = [](std::size_t) -> std::string {
    ::raise(SIGKILL);
    return "";
  };
  try {
    real::side_by_side(1, 1, dies, none);
    FAIL();
  } catch (const real::WorkerDeath& death) {
    EXPECT_EQ(death.number(), 0u);
  }
}

TEST(SideBySide, ThoseThatRunMayBeEndedAtOnce) {
  std::vector<std::size_t> done;
  const auto begin = std::chrono::steady_clock::now();
  const auto lasts = [begin] { return std::chrono::steady_clock::now() - begin; };
  real::side_by_side(
      3, 3,
      [](std::size_t i) {
        if (i != 1) ::sleep(60);
        return std::string();
      },
      [&](std::size_t i, const std::string&) { done.push_back(i); },
      [&] { return lasts() < std::chrono::milliseconds(500); }, real::UnfinishedPolicy::ended);
  EXPECT_LT(lasts(), std::chrono::seconds(20));
  EXPECT_EQ(done, std::vector<std::size_t>{1}) << "what had come is known, though one before it was not over";
}

TEST(SideBySide, NothingToDoIsDone) {
  real::side_by_side(
      0, 2, [](std::size_t) { return std::string(); }, [](std::size_t, const std::string&) { FAIL(); });
}

}  // namespace
}  // namespace lockproof::tests::side_by_side_test
