// SPDX-License-Identifier: Apache-2.0
// The notes' guard thread needs no fault to lose the lock: each EXPIRE gives as long as the next one takes to come. How
// often it survives is counted by random search and compared with what paper says.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "search/fuzz/fuzz.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::tests::guard_survival_test {
namespace {

constexpr std::uint64_t runs = 20'000;
constexpr double level = 0.999;  // of the confidence interval

/// Renewals leave 29 s after the grant and then every 20 s. The rival asks when all of them are over; the holder is
/// still inside then. All messages take 1 to `values` ms.
harness::Scenario guarded(int renewals, int values, const std::string& algorithm = "guard-thread") {
  const int last = 29 + 20 * (renewals - 1);
  return scenario("retry = \"1s\"\n[workload]\nclients = 2\nacquire_timeout = \"1h\"\nwork = [\"hold " +
                      std::to_string(last + 9) + "s\"]\n[[client]]\nname = \"client-2\"\nstart = \"" +
                      std::to_string(last + 2) + "s\"\nwork = [\"hold 1s\"]\n[network]\nlatency = [\"1ms\", \"" +
                      std::to_string(values) + "ms\"]\n[run]\nhorizon = \"1h\"\n",
                  algorithm);
}

std::uint64_t died(const harness::Scenario& s) {
  const sim::FuzzResult found =
      sim::fuzz(s, {.runs = runs, .workers = std::max(1u, std::thread::hardware_concurrency())});
  std::uint64_t count = 0;
  for (const auto& [way, tally] : found.violated) count += way.first == "mutual-exclusion" ? tally.runs : 0;
  return count;
}

/// C(D+n-1, n) / D^n: of all delays of n renewals, those that never grow.
double formula(int renewals, int values) {
  double p = 1;
  for (int i = 1; i <= renewals; ++i) p *= static_cast<double>(values + i - 1) / i / values;
  return p;
}

/// P(at most x of `runs`), each with probability p.
double at_most(std::uint64_t x, double p) {
  const auto n = static_cast<double>(runs);
  double sum = 0;
  for (std::uint64_t i = 0; i <= x; ++i) {
    const auto k = static_cast<double>(i);
    sum += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + k * std::log(p) +
                    (n - k) * std::log1p(-p));
  }
  return sum;
}

/// p lies in the exact (Clopper and Pearson) confidence interval of x successes: neither tail is too unlikely.
bool in_confidence_interval(std::uint64_t x, double p) {
  const double tail = (1 - level) / 2;
  return at_most(x, p) > tail && (x == 0 || 1 - at_most(x - 1, p) > tail);
}

TEST(GuardSurvival, TheIntervalTellsTheFormulaFromItsNeighbours) {
  EXPECT_TRUE(in_confidence_interval(runs / 4, 0.25));
  EXPECT_FALSE(in_confidence_interval(runs / 4, 0.265));
  EXPECT_FALSE(in_confidence_interval(runs / 4, 0.235));
  EXPECT_DOUBLE_EQ(formula(3, 5), 35.0 / 125);
  EXPECT_NEAR(formula(3, 100'000), 1.0 / 6, 1e-4);  // tends to 1/n!
}

struct Case {
  int renewals, values;
};
class GuardSurvivalByChance : public testing::TestWithParam<Case> {};

TEST_P(GuardSurvivalByChance, IsAsPaperSays) {
  const auto [renewals, values] = GetParam();
  const std::uint64_t survived = runs - died(guarded(renewals, values));
  const double expected = formula(renewals, values);
  RecordProperty("survived", std::to_string(survived));
  EXPECT_TRUE(in_confidence_interval(survived, expected))
      << survived << " of " << runs << " survived " << renewals << " renewals with " << values
      << " equally likely delays; the formula says " << expected * static_cast<double>(runs);
}

INSTANTIATE_TEST_SUITE_P(Of, GuardSurvivalByChance,
                         testing::Values(Case{2, 2}, Case{2, 5}, Case{3, 5}, Case{4, 5}, Case{3, 40}, Case{6, 3}),
                         [](const auto& about) {
                           return std::to_string(about.param.renewals) + "RenewalsOf" +
                                  std::to_string(about.param.values) + "Delays";
                         });

TEST(GuardSurvival, OneRenewalOrDelaysThatAreEqualAlwaysDo) {
  EXPECT_EQ(died(guarded(1, 100)), 0u);
  EXPECT_EQ(died(guarded(6, 1)), 0u);
}

/// The same lock with a guard that sleeps after each reply.
class SleepsAfterTheReply final : public Lock {
 public:
  explicit SleepsAfterTheReply(std::unique_ptr<Lock> lock) : lock_(std::move(lock)) {}
  Task<Attempt> try_acquire(Name name, std::optional<milliseconds> lease) override {
    Attempt attempt = co_await lock_->try_acquire(name, lease);
    if (Grant* grant = std::get_if<Grant>(&attempt)) grant->renewal->pace = Pace::fixed_delay;
    co_return attempt;
  }
  Task<Result<ReleaseResult>> release(Grant grant) override { return lock_->release(std::move(grant)); }
  Task<Result<std::optional<Grant>>> renew(Grant grant) override { return lock_->renew(std::move(grant)); }
  [[nodiscard]] Retry retry() const override { return lock_->retry(); }

 private:
  std::unique_ptr<Lock> lock_;
};

TEST(GuardSurvival, WithSleepAfterTheReplyItDiesAtItsSecondRenewalAlways) {
  Algorithm sleeps = *find_algorithm("guard-thread");
  sleeps.make = [](Ports ports, const Parameters& parameters) -> std::unique_ptr<Lock> {
    return std::make_unique<SleepsAfterTheReply>(make_guard_thread(ports, parameters));
  };
  for (const auto& [renewals, values, dead] : {std::tuple{1, 5, std::uint64_t{0}}, {2, 1, runs}, {2, 5, runs}}) {
    harness::Scenario s = guarded(renewals, values);
    s.algorithm = &sleeps;
    EXPECT_EQ(died(s), dead) << renewals << " renewals with " << values << " delays";
  }
}

/// T = 30 s, renewed every 10 s; the second renewal is late by `late`, the first is not.
bool repaired_survives(const std::string& late) {
  const harness::Scenario s = scenario(
      "[workload]\nclients = 1\nwork = [\"hold 70s\"]\n[network]\ntimeout = \"60s\"\n[[fault]]\nkind = \"delay\"\n"
      "target = \"client-1\"\nwhen = \"client-1 before compare-and-expire #2\"\nby = \"" +
          late + "\"\n",
      "guard-thread-repaired");
  return where(run(s), harness::What::lost).empty();
}

TEST(GuardSurvival, TheRepairedOneSurvivesARenewalThatIsTwoThirdsOfTheLeaseLate) {
  EXPECT_TRUE(repaired_survives("20s"));
  EXPECT_FALSE(repaired_survives("20001ms"));
}

TEST(GuardSurvival, TheRepairedOneDoesNotMindTheNotesDelays) {
  EXPECT_EQ(died(guarded(3, 40, "guard-thread-repaired")), 0u);
}

}  // namespace
}  // namespace lockproof::tests::guard_survival_test
