// SPDX-License-Identifier: Apache-2.0
// Inputs determine outputs: every client of every scenario, recorded in either world, is run again alone from its
// inputs and must do the same; and the same again with all clocks shifted and all tokens renamed, since no decision may
// depend on when zero was or on what a token looks like.
#include "harness/record/rerun_difference.hpp"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <tuple>

#include "harness/scenario/services.hpp"
#include "real/errors.hpp"
#include "real/run/run.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::rerun_test {
namespace {

const harness::Transformation shifted{.wall = std::chrono::hours(-70'000),
                                      .mono = seconds(12'345),
                                      .token = [](const std::string& t) { return "other-" + t; }};

void expect_reruns(const harness::History& h, const harness::Scenario& s) {
  for (std::size_t i = 0; i < s.clients.size(); ++i) {
    const auto client = static_cast<harness::HostIndex>(i);
    if (s.process_of(i).size() > 1) continue;  // its lock object does what others tell it, too
    EXPECT_EQ(harness::rerun_difference(h, client, s), std::nullopt);
    EXPECT_EQ(harness::rerun_difference(h, client, s, shifted), std::nullopt) << "with shifted clocks and other tokens";
  }
}

std::string name_of(const testing::TestParamInfo<std::string>& file) {
  return tests::as_test_name(std::filesystem::path(file.param).stem().string());
}

class EveryScenario : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Rerun, EveryScenario, testing::ValuesIn(tests::scenario_files()), name_of);

TEST_P(EveryScenario, SimulatedClientsDoTheSameFromTheirInputs) {
  const auto s = harness::load_scenario(GetParam());
  for (std::uint64_t seed = 1; seed <= 5; ++seed) expect_reruns(sim::run(s, seed), s);
}

bool is_refused(const harness::Scenario& s) {
  return s.expect.real && s.expect.real->contains("exercised") && s.expect.real->at("exercised") == "unknown";
}

/// The lock of a scenario whose real run may stand for those of the lock's other scenarios; nothing if it has a test of
/// its own in any case.
std::optional<std::string> lock_of_real_runs(const harness::Scenario& s) {
  if (!s.expect.real || is_refused(s) || std::getenv("LOCKPROOF_ALL_RERUNS") != nullptr) return std::nullopt;
  return std::string(s.algorithm->name);
}

/// A real run takes seconds, so of each lock the scenario with the most faults stands for all that run. With
/// LOCKPROOF_ALL_RERUNS, a slow test, all do. A twin is the same lock as its sibling, and less happens to it.
std::vector<std::string> files_for_real_runs() {
  std::vector<std::string> files;
  std::map<std::string, std::pair<std::size_t, std::string>> of_locks;
  for (const std::string& file : tests::scenario_files()) {
    if (file.ends_with("-twin.toml")) continue;
    try {
      const auto s = harness::load_scenario(file);
      if (!harness::simulated_only(s).empty()) continue;  // there are no servers to run
      if (const auto lock = lock_of_real_runs(s)) {
        auto& [faults, chosen] = of_locks[*lock];
        if (chosen.empty() || s.faults.size() > faults) std::tie(faults, chosen) = std::pair(s.faults.size(), file);
        continue;
      }
    } catch (const std::exception&) {
      // It cannot be read. Its test reads it again, and fails with the reason; here it would end all tests.
    }
    files.push_back(file);
  }
  for (const auto& [lock, chosen] : of_locks) files.push_back(chosen.second);
  return files;
}

class RealScenario : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Rerun, RealScenario, testing::ValuesIn(files_for_real_runs()), name_of);

TEST_P(RealScenario, ClientsDoTheSameFromTheirInputs) {
  const auto s = harness::load_scenario(GetParam());
  if (is_refused(s)) {
    EXPECT_THROW((void)real::run(s, {.seed = 1}), real::UnsupportedFeature);  // as the scenario says
    return;
  }
  try {
    expect_reruns(real::run(s, {.seed = 1}), s);
  } catch (const real::UnsupportedFeature& e) {
    EXPECT_FALSE(s.expect.real) << e.what() << ", and the scenario expects something of real runs";
  }
}

TEST(Rerun, WithRandomLatenciesAndTimeOutsToo) {
  for (const Algorithm& a : catalogue()) {
    const auto s = tests::scenario(
        "[workload]\nclients = 3\nrounds = 2\nlease = \"1s\"\nacquire_timeout = \"3s\"\n"
        "work = [\"read\", \"hold 20ms\", \"write\"]\n"
        "[network]\nlatency = [\"1ms\", \"30ms\"]\ntimeout = \"40ms\"\n",
        std::string(a.name));
    for (std::uint64_t seed = 1; seed <= 20; ++seed) expect_reruns(sim::run(s, seed), s);
  }
}

TEST(Rerun, FindsADifference) {
  const auto s = tests::scenario("[workload]\nclients = 1\n");
  auto h = sim::run(s, 1);
  const auto answers = tests::where(h, harness::What::answer, "client-1");
  h.events[answers.front()].reply = Reply::nil();  // as if the SET had been refused
  EXPECT_NE(harness::rerun_difference(h, 0, s), std::nullopt);
}

// A simulated step is recorded whole. The horizon of a real run can end a process within one.
TEST(Rerun, ARealProcessCanBeEndedWithinAStep) {
  const auto s = tests::scenario("[workload]\nclients = 1\n");
  auto h = sim::run(s, 1);
  h.events.resize(tests::where(h, harness::What::call, "client-1").front());
  EXPECT_NE(harness::rerun_difference(h, 0, s), std::nullopt);
  h.header.world = "real";
  EXPECT_EQ(harness::rerun_difference(h, 0, s), std::nullopt);
}

}  // namespace
}  // namespace lockproof::rerun_test
