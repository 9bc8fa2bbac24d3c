// SPDX-License-Identifier: Apache-2.0
// Hosts that are kept need not run again from their start; what a search may cost does not depend on them.
#include "search/core/contention.hpp"
#include "search/part_searches.hpp"
#include "search/state_space/stateful_engine.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::sim::kept_hosts_test {
namespace {

const char* const paused =
    "[workload]\nlease = \"4s\"\nwork = [\"read\", \"hold 2s\", \"write\"]\n[network]\ntimeout = \"500ms\"\n"
    "[explore]\nmax_faults = 1\nattempts = 2\nretry = \"T/2\"\n"
    "[[explore.fault]]\nkind = \"pause\"\nfor = [\"T/2\", \"T+grid\"]\n";

/// The last progress of a search.
Progress progress_of(std::size_t live_hosts, unsigned workers = 1) {
  const harness::Scenario drawn = tests::scenario(paused, "set-px-token");
  const harness::Bounds bounds = drawn.explore.value();
  Progress last{};
  Limits limits{.workers = workers, .estimate = false};
  limits.live_hosts = live_hosts;
  limits.go_on = [&](const Progress& progress) {
    last = progress;
    last.probe = {};
    return true;
  };
  EXPECT_TRUE(explore_stateful(as_written(bounded(drawn, bounds, true)), bounds, limits).complete);
  return last;
}

TEST(KeptHosts, ThoseThatHaveGoneOnTakeNoRoom) {
  const Progress all = progress_of(1'000'000), some = progress_of(1280), none = progress_of(0);
  EXPECT_LT(all.runs * 2, none.runs);
  EXPECT_EQ(some.runs, all.runs) << "fewer hosts than these wait at a time";
}

TEST(KeptHosts, WaysAreCountedAsIfThereWereNone) {
  const Progress none = progress_of(0), all = progress_of(1'000'000), three = progress_of(1'000'000, 3);
  EXPECT_GT(none.inputs, none.paths * 5);
  EXPECT_EQ(none.inputs, all.inputs);
  EXPECT_EQ(none.inputs, three.inputs);
}

TEST(KeptHosts, LongWaysEndASearchThatHasALimitOfWork) {
  constexpr std::uint64_t work = 1000;
  const Progress usual{.states = work - 1, .transitions = 0, .frontier = 0, .bytes = 0, .faults = 0, .depth = 0};
  Progress far = usual;
  far.inputs = 1000 * work;
  EXPECT_FALSE(search::has_worked(usual, work, false));
  EXPECT_TRUE(search::has_worked(far, work, false));
}

}  // namespace
}  // namespace lockproof::sim::kept_hosts_test
