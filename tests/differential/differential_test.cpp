// SPDX-License-Identifier: Apache-2.0
// Generated scenarios in both worlds: the simulator and real servers judge each property alike, wherever a run decides
// it. Where they do not, one of the worlds is wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/check/lateness.hpp"
#include "harness/scenario/file/write.hpp"
#include "real/client/faults.hpp"
#include "real/errors.hpp"
#include "real/os/side_by_side.hpp"
#include "real/run/run.hpp"
#include "tests/differential/generated.hpp"
#include "tests/differential/known_gaps.hpp"
#include "tests/differential/margins.hpp"

namespace lockproof::tests::differential_test {
namespace {

constexpr unsigned at_once = 2;
constexpr std::size_t decided_least = 60;
constexpr const char* was_late = "late";

std::uint64_t number(const char* variable, std::uint64_t standard) {
  const char* const asked = std::getenv(variable);
  return asked ? std::strtoull(asked, nullptr, 10) : standard;
}

bool possible(const harness::Scenario& scenario) {
  try {
    real::require_supported(scenario);
    return true;
  } catch (const real::UnsupportedFeature&) {
    return false;
  }
}

/// What a run on time shows; of three that were not, or for which servers did not even start in time, nothing.
std::string really(const harness::Scenario& scenario) {
  for (std::size_t attempt = 0; attempt < check::attempts_most; ++attempt) {
    try {
      const harness::History history = real::run(scenario, {});
      if (!check::too_late(history)) return shown(verdicts(history, scenario));
    } catch (const real::BadEnvironment&) {
      continue;
    }
  }
  return was_late;
}

struct ComparedFinding {
  std::uint64_t number;
  harness::Scenario scenario;
  std::string simulated;
};

/// The next so many that real servers can make, that have margins, and that show more than that a fault struck nowhere.
std::vector<ComparedFinding> drawn(std::uint64_t first, std::size_t wanted) {
  std::vector<ComparedFinding> all;
  std::size_t impossible = 0, without_margins = 0, vacuous = 0;
  std::map<std::string_view, std::size_t> gaps;
  std::uint64_t next = first;
  for (; all.size() < wanted; ++next) {
    harness::Scenario scenario = generated(next);
    if (!possible(scenario)) {
      ++impossible;
    } else if (const auto gap = known_gap(scenario)) {
      ++gaps[*gap];
    } else if (const auto verdicts = decided(scenario); !verdicts) {
      ++without_margins;
    } else if (shown(*verdicts) == "exercised violated") {
      ++vacuous;
    } else {
      all.push_back({next, std::move(scenario), shown(*verdicts)});
    }
  }
  std::printf(
      "%llu scenarios drawn: %zu are compared; left out are %zu that real servers cannot make, %zu whose margins a "
      "real "
      "run does not decide, and %zu in which nothing was contended or a fault struck nowhere\n",
      static_cast<unsigned long long>(next - first), all.size(), impossible, without_margins, vacuous);
  for (const auto& [gap, times] : gaps) std::printf("left out as a known gap, %zu: %s\n", times, gap.data());
  return all;
}

TEST(BothWorlds, JudgeGeneratedScenariosAlike) {
  const std::size_t wanted = number("LOCKPROOF_DIFFERENTIAL_SCENARIOS", 80);
  const std::vector<ComparedFinding> all = drawn(number("LOCKPROOF_DIFFERENTIAL_FIRST", 1), wanted);
  std::map<std::string, std::size_t> seen;
  std::size_t decided = 0;
  real::side_by_side(
      all.size(), at_once, [&](std::size_t i) { return really(all[i].scenario); },
      [&](std::size_t i, const std::string& found) {
        if (found == was_late) return;
        ++decided;
        ++seen[found];
        EXPECT_EQ(found, all[i].simulated) << "of scenario " << all[i].number << ":\n"
                                           << harness::to_toml(all[i].scenario);
      });
  std::printf("%zu scenarios decided by real runs; of %zu the machine was late three times\n", decided,
              all.size() - decided);
  for (const auto& [found, times] : seen) std::printf("%4zu  %s\n", times, found.c_str());
  EXPECT_GE(decided, std::min(wanted, decided_least)) << "the machine is too busy for this test";
  EXPECT_GE((decided - seen["nothing found"]) * 3, decided) << "most of them show nothing";
}

}  // namespace
}  // namespace lockproof::tests::differential_test
