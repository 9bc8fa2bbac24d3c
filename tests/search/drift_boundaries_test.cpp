// SPDX-License-Identifier: Apache-2.0
// Where Redlock breaks when clocks drift, as paper says (design §6), and a search of all schedules on both sides of it.
#include <fmt/format.h>

#include <cmath>
#include <ostream>

#include "tests/search/boundaries.hpp"

namespace lockproof::tests::drift_boundaries_test {
namespace {

// Redlock, clocks that drift ---------------------------------------------------------------------------------------
// Premises: the deadline counts from the start of the attempt, by a client's clock that is slow by rho_c; the servers'
// clocks are fast by rho_n, and a key is gone when their clock has passed its stamp in whole milliseconds. Both are
// entitled iff valid / (1 - rho_c) > T / (1 + rho_n) + delta, where valid is 0.99 T - 2 ms, or T without an allowance,
// and delta the holder's start-to-SET, the rest of the servers' millisecond, and the rival's free-to-inside.

struct Drift {
  const char* algorithm;
  int lease_s;
  double client, server;    // how much the clock runs off, in percent
  std::int64_t way, start;  // microseconds; the start is the phase of the servers' milliseconds
  bool broken;
  friend void PrintTo(const Drift& d, std::ostream* out) {
    *out << d.algorithm << " " << d.lease_s << "s client " << d.client << "% servers " << d.server << "%";
  }
};

/// Rates are exact in steps of 0.0001 %.
std::int64_t rate(double percent) { return std::llround(percent * 10'000); }
string written(double percent) { return fmt::format("\"{:+.4f}%\"", percent); }

string drift(const Drift& d, std::int64_t rival, int servers = 3) {
  string text = fmt::format(
      "node_timeout = \"500ms\"\n[workload]\nattempts = 1\nlease = \"{}s\"\nwork = [\"hold 90s\"]\n"
      "start = {}\n[network]\nlatency = {}\n[servers]\nredis = {}\n"
      "[[client]]\nname = \"client-2\"\nstart = {}\n",
      d.lease_s, us(d.start), us(d.way), servers, us(rival));
  const auto off = [&](const string& host, double percent) {
    if (percent == 0) return;
    text += fmt::format("[[fault]]\nkind = \"clock-rate\"\ntarget = \"{}\"\nat = \"0s\"\nrate = {}\n", host,
                        written(percent));
  };
  off("client-1", d.client);
  for (int i = 1; i <= servers; ++i) off("redis-" + std::to_string(i), d.server);
  return text;
}

/// The first instant at which the keys of the holder are gone, in world time.
std::int64_t gone(const Drift& d) {
  const std::int64_t million = 1'000'000, speed = million + rate(d.server);
  const std::int64_t started = d.start * million / (million + rate(d.client));  // its timer runs by its own clock
  const std::int64_t set_ms = (started + d.way) * speed / million / 1000;
  const std::int64_t server_us = (set_ms + d.lease_s * 1000 + 1) * 1000;
  return (server_us * million + speed - 1) / speed;
}

class RedlockDriftOf : public testing::TestWithParam<Drift> {};

TEST_P(RedlockDriftOf, BreaksBeyondItsAllowanceOnly) {
  const Drift& d = GetParam();
  bool broken = false;
  for (std::int64_t arrives = gone(d) - 1; arrives <= gone(d) + 1; ++arrives) {
    broken |= fewest(drift(d, arrives - d.way), d.algorithm, "double-grant") != never;
  }
  EXPECT_EQ(broken, d.broken);
}

// delta = 0, nearly: messages take no time, and the SET runs in the last microseconds of a server's millisecond.
// Slow client: 1 - valid / T = 1.00667 % at 30 s, 1.02 % at 10 s. Fast servers: T / valid - 1 = 1.016903 %, 1.030511 %.
INSTANTIATE_TEST_SUITE_P(
    AtDeltaNought, RedlockDriftOf,
    testing::Values(Drift{"redlock", 30, -1.0066, 0, 0, 985, false}, Drift{"redlock", 30, -1.0067, 0, 0, 985, true},
                    Drift{"redlock", 30, 0, 1.0169, 0, 989, false}, Drift{"redlock", 30, 0, 1.0170, 0, 989, true},
                    Drift{"redlock", 10, -1.0200, 0, 0, 985, false}, Drift{"redlock", 10, -1.0201, 0, 0, 985, true},
                    Drift{"redlock", 10, 0, 1.0305, 0, 989, false}, Drift{"redlock", 10, 0, 1.0306, 0, 989, true}));
// delta = 3 ms: one each way, and a whole millisecond of the servers'.
// Slow client: 1 - valid / (T + 3 ms) = 1.01657 %, 1.04969 %. Fast servers: T / (valid - 3 ms) - 1 = 1.0271 %, 1.0610
// %.
INSTANTIATE_TEST_SUITE_P(
    AtThreeMilliseconds, RedlockDriftOf,
    testing::Values(Drift{"redlock", 30, -1.0165, 0, 1000, 0, false}, Drift{"redlock", 30, -1.0166, 0, 1000, 0, true},
                    Drift{"redlock", 30, 0, 1.0270, 1000, 0, false}, Drift{"redlock", 30, 0, 1.0272, 1000, 0, true},
                    Drift{"redlock", 10, -1.0496, 0, 1000, 0, false}, Drift{"redlock", 10, -1.0498, 0, 1000, 0, true},
                    Drift{"redlock", 10, 0, 1.0608, 1000, 0, false}, Drift{"redlock", 10, 0, 1.0611, 1000, 0, true}));
// Both at once: (1 - rho_c) / (1 + rho_n) = valid / T, which at rho_n = 0.5 % is rho_c = 0.5117 %.
INSTANTIATE_TEST_SUITE_P(Both, RedlockDriftOf,
                         testing::Values(Drift{"redlock", 30, -0.5116, 0.5, 0, 985, false},
                                         Drift{"redlock", 30, -0.5119, 0.5, 0, 985, true}));
// Without an allowance: T / (1 - rho_c) - T / (1 + rho_n) > delta. A fast client gives up early.
INSTANTIATE_TEST_SUITE_P(WithoutAllowance, RedlockDriftOf,
                         testing::Values(Drift{"redlock-no-drift-term", 30, -1, 0, 1000, 0, true},
                                         Drift{"redlock-no-drift-term", 30, 1, 0, 1000, 0, false},
                                         Drift{"redlock-no-drift-term", 30, -0.0099, 0, 1000, 0, false},
                                         Drift{"redlock-no-drift-term", 30, -0.0101, 0, 1000, 0, true},
                                         Drift{"redlock-no-drift-term", 30, 0, 0.0099, 1000, 0, false},
                                         Drift{"redlock-no-drift-term", 30, 0, 0.0101, 1000, 0, true}));

/// One server is 1 % fast: it forgets at 29.7 s. Alone it is no majority: the holder must have missed so many others
/// that the fast one and those are one. `lost` SETs of the holder may get lost.
int one_fast(const string& algorithm, const char* percent, int servers, int lost) {
  const Drift d{algorithm.c_str(), 30, 0, 0, 1000, 0, false};
  return fewest(drift(d, 29'800'000, servers) +
                    fmt::format("[[fault]]\nkind = \"clock-rate\"\ntarget = \"redis-1\"\nat = \"0s\"\nrate = \"{}\"\n"
                                "[explore]\nmax_faults = {}\n[[explore.fault]]\nkind = \"half-open\"\nmost = {}\n"
                                "target = \"client-1\"\nlose = \"request\"\n",
                                percent, lost, std::max(lost, 1)),
                algorithm, "double-grant");
}

TEST(RedlockDrift, OneFastServerBreaksItOnlyIfTheHolderHadABareMajority) {
  EXPECT_EQ(one_fast("redlock-no-drift-term", "+1%", 3, 0), never);
  EXPECT_EQ(one_fast("redlock-no-drift-term", "+1%", 3, 1), 1);
  EXPECT_EQ(one_fast("redlock-no-drift-term", "+0.0001%", 3, 1), never);
  EXPECT_EQ(one_fast("redlock", "+1%", 3, 1), never);  // which is what the allowance is for
}

TEST(RedlockDrift, OfFiveTheHolderMustHaveMissedTwo) {
  EXPECT_EQ(one_fast("redlock-no-drift-term", "+1%", 5, 1), never);
  EXPECT_EQ(one_fast("redlock-no-drift-term", "+1%", 5, 2), 2);
}

}  // namespace
}  // namespace lockproof::tests::drift_boundaries_test
