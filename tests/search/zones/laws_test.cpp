// SPDX-License-Identifier: Apache-2.0
// What must be true of any search of all timings, whatever the lock.
#include <gtest/gtest.h>

#include <random>

#include "tests/search/zones/fixture.hpp"

namespace lockproof::zones {
namespace {

/// Settings on both sides of the edge, and never within 3 ms of it, since a server's milliseconds do not scale.
std::vector<Setting> settings() {
  std::vector<Setting> all;
  std::mt19937 bits(51);  // its numbers are the same everywhere
  const auto below = [&](int most) { return static_cast<int>(bits() % static_cast<unsigned>(most)); };
  for (const char* const lock : {"set-px-token", "set-ex-del", "set-ex-get-del", "set-px-token"}) {
    for (const bool is_safe : {true, false}) {
      Setting one{.work = seconds(1 + below(6)), .pause = milliseconds(1000 + below(4000)), .algorithm = lock};
      one.faults = below(3) == 0 ? 0 : 1;
      one.least_latency = milliseconds(below(20));
      one.most_latency = one.least_latency + milliseconds(below(40));
      const Duration shortest = one.work + one.faults * one.pause + 5 * one.most_latency - one.least_latency;
      const Duration away = milliseconds(3 + below(500));
      one.lease = std::chrono::ceil<std::chrono::seconds>(shortest + away);  // some locks count in seconds
      if (!is_safe) one.lease -= std::chrono::ceil<std::chrono::seconds>(one.lease - shortest + away);
      all.push_back(one);
    }
  }
  return all;
}

Kinds kinds_of(const Setting& setting, const std::string& more = "") {
  const sim::Exploration found = explored(setting.scenario(more));
  EXPECT_TRUE(found.complete) << found.stopped;
  return zones::kinds_of(found);
}

/// Every kind of the one is one of the other, with no more faults.
void expect_within(const Kinds& some, const Kinds& all, const Setting& setting) {
  for (const auto& [kind, faults] : some) {
    const auto found = all.find(kind);
    ASSERT_NE(found, all.end()) << kind.first << " " << kind.second << " is lost, lease " << setting.lease.count()
                                << " us";
    EXPECT_LE(found->second, faults) << kind.first << " " << kind.second;
  }
}

TEST(ZoneLaws, BothSidesAreThere) {
  int safe = 0, unsafe = 0;
  for (const Setting& setting : settings()) ++(kinds_of(setting).empty() ? safe : unsafe);
  EXPECT_GE(safe, 2);
  EXPECT_GE(unsafe, 2);
}

TEST(ZoneLaws, WiderRangesAndMoreFaultsLoseNoViolation) {
  for (const Setting& setting : settings()) {
    const Kinds kinds = kinds_of(setting);
    Setting slower = setting, longer = setting, sooner = setting, more_faults = setting;
    ++more_faults.faults;
    slower.most_latency += milliseconds(13);
    sooner.least_latency = {};
    longer.pause += seconds(1);
    for (const Setting& wider : {slower, sooner, longer, more_faults}) expect_within(kinds, kinds_of(wider), wider);
  }
}

TEST(ZoneLaws, ARangeIsItsTwoHalves) {
  for (const Setting& setting : settings()) {
    if (setting.faults != 1) continue;  // two pauses may be of different halves
    Kinds joined;
    for (const bool upper : {false, true}) {
      harness::Scenario half = setting.scenario();
      for (harness::Fault& form : half.explore->budget.front().forms) {
        const Duration middle = setting.pause / 2;
        upper ? form.least = middle : form.lasts = middle;
      }
      for (const auto& [kind, faults] : zones::kinds_of(explored(half))) {
        joined[kind] = joined.contains(kind) ? std::min(joined[kind], faults) : faults;
      }
    }
    EXPECT_EQ(joined, kinds_of(setting));
  }
}

TEST(ZoneLaws, DurationsTimesANumberSayTheSame) {
  for (const Setting& setting : settings()) {
    for (const int k : {2, 7}) {
      Setting scaled = setting;
      for (Duration* const one :
           {&scaled.lease, &scaled.work, &scaled.pause, &scaled.least_latency, &scaled.most_latency})
        *one *= k;
      EXPECT_EQ(kinds_of(scaled), kinds_of(setting)) << k;
    }
  }
}

TEST(ZoneLaws, ASearchWithoutAStartContainsEveryLaterStart) {
  for (const Setting& setting : settings()) {
    const Kinds kinds = kinds_of(setting);
    for (const char* const later : {"1s", "7s"}) {
      const std::string start = std::string("[[client]]\nname = \"client-2\"\nstart = \"") + later + "\"\n";
      expect_within(kinds_of(setting, start), kinds, setting);
    }
  }
}

/// A kind of fault with a range of amounts, and without one.
struct RangedKind {
  std::string name, kind, key;
  [[nodiscard]] std::string entry(Duration least, Duration most) const {
    std::string text = "kind = \"" + kind + "\"\n";
    if (name == "server_pause") text += "target = \"servers\"\n";
    if (!key.empty()) text += key + " = \"" + harness::range_text(least, most) + "\"\n";
    return text;
  }
};

class LawsOfFaults : public testing::TestWithParam<RangedKind> {
 protected:
  static Kinds kinds(Setting setting, Duration least, Duration most, const std::string& more = "") {
    setting.other_faults = {GetParam().entry(least, most)};
    return kinds_of(setting, more);
  }
  static Setting setting() {
    Setting one{.lease = seconds(5), .work = seconds(3), .timeout = seconds(2)};
    one.least_latency = milliseconds(2);
    one.most_latency = milliseconds(10);
    return one;
  }
  /// On both sides of what is harmful.
  static std::vector<Duration> amounts() { return {seconds(1), milliseconds(1700), milliseconds(4500)}; }
};

TEST_P(LawsOfFaults, LargerRangesAndMoreFaultsLoseNoViolation) {
  Setting slower = setting(), more = setting();
  slower.most_latency *= 3;
  more.faults = 2;
  for (const Duration amount : amounts()) {
    const Kinds some = kinds(setting(), Duration(0), amount);
    expect_within(some, kinds(setting(), Duration(0), amount * 11 / 10), setting());
    expect_within(some, kinds(slower, Duration(0), amount), slower);
    if (amount == amounts().front()) expect_within(some, kinds(more, Duration(0), amount), more);
  }
}

TEST_P(LawsOfFaults, ARangeIsItsTwoHalves) {
  for (const Duration amount : amounts()) {
    Kinds joined = kinds(setting(), Duration(0), amount / 2);
    for (const auto& [kind, faults] : kinds(setting(), amount / 2, amount)) joined.emplace(kind, faults);
    EXPECT_EQ(joined, kinds(setting(), Duration(0), amount));
  }
}

TEST_P(LawsOfFaults, DurationsTimesANumberSayTheSame) {
  for (const Duration amount : amounts()) {
    Setting scaled = setting();
    for (Duration* const one :
         {&scaled.lease, &scaled.work, &scaled.least_latency, &scaled.most_latency, &scaled.timeout})
      *one *= 3;
    EXPECT_EQ(kinds(scaled, Duration(0), amount * 3), kinds(setting(), Duration(0), amount));
  }
}

TEST_P(LawsOfFaults, ASearchWithoutAStartContainsALaterStart) {
  for (const Duration amount : amounts()) {
    const std::string start = "[[client]]\nname = \"client-2\"\nstart = \"3s\"\n";
    expect_within(kinds(setting(), Duration(0), amount, start), kinds(setting(), Duration(0), amount), setting());
  }
}

INSTANTIATE_TEST_SUITE_P(All, LawsOfFaults,
                         testing::Values(RangedKind{"server_pause", "pause", "for"}, RangedKind{"delay", "delay", "by"},
                                         RangedKind{"resend", "resend", "for"},
                                         RangedKind{"partition", "partition", "for"},
                                         RangedKind{"half_open", "half-open", ""}, RangedKind{"retry", "retry", ""},
                                         RangedKind{"break_connection", "break-connection", ""},
                                         RangedKind{"crash", "crash", ""}, RangedKind{"evict", "evict", ""}),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace lockproof::zones
