// SPDX-License-Identifier: Apache-2.0
// A planted bug that needs one ordering after another: in its sixth round client-2 locks by a wrong name, so somebody
// else may enter; but client-1 asks once only, and must have stood still for five rounds. No time passes, so client-1
// has to be chosen last for some forty events, and then first.
#include <gtest/gtest.h>

#include "search/fuzz/fuzz.hpp"
#include "tests/fixtures.hpp"
#include "tests/mutants/mutating_ports.hpp"

namespace lockproof::tests::ordering_test {
namespace {

const Mutant sixth_round{.name = "sixth-round-by-another-name",
                         .algorithm = "set-px-token",
                         .caught_by = "mutual-exclusion",
                         .scenario =
                             "[workload]\nclients = 2\nattempts = 1\nlease = \"10s\"\nwork = [\"read\", "
                             "\"write\"]\n[network]\nlatency = \"0ms\"\n"
                             "[[client]]\nname = \"client-2\"\nrounds = 6\n",
                         .command = [](const Command& c) {
                           if (c.verb() != "SET" || c.args().at(2) != Value("c2.6")) return c;
                           std::vector<Value> words = c.args();
                           words.at(1) = Value("another");
                           return Command(std::move(words));
                         }};

std::uint64_t caught(sim::Strategy strategy, int depth = 2) {
  harness::Scenario s = scenario(sixth_round.scenario, sixth_round.algorithm);
  const Algorithm wrong = mutated(sixth_round);
  s.algorithm = &wrong;
  const sim::FuzzResult found = sim::fuzz(s, {.strategy = strategy, .runs = 2000, .depth = depth, .workers = 2});
  EXPECT_EQ(found.broken_premises, 0u);
  std::uint64_t runs = 0;
  for (const auto& [way, tally] : found.violated) runs += way.first == sixth_round.caught_by ? tally.runs : 0;
  if (strategy != sim::Strategy::pct) return runs;
  std::uint64_t bound = found.runs;  // over n k^(d-1)
  for (bound /= found.threads; depth > 1; depth--) bound /= found.k;
  EXPECT_GE(runs, bound) << "of PCT";
  return runs;
}

TEST(PlantedOrdering, IsFoundByPctAndNotByDrawingEvenly) {
  EXPECT_GT(caught(sim::Strategy::pct), 20u);
  EXPECT_EQ(caught(sim::Strategy::random), 0u);
}

}  // namespace
}  // namespace lockproof::tests::ordering_test
