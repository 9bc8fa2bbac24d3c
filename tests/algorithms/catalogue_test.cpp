// SPDX-License-Identifier: Apache-2.0
#include "algorithms/catalogue.hpp"

#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "algorithms/expiry.hpp"
#include "algorithms/scripts.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::catalogue_test {
namespace {

TEST(Catalogue, NamesAreUniqueAndFound) {
  std::set<std::string_view> names;
  for (const Algorithm& a : catalogue()) {
    EXPECT_TRUE(names.insert(a.name).second) << a.name;
    EXPECT_EQ(find_algorithm(a.name), &a);
  }
  EXPECT_EQ(find_algorithm("no-such-lock"), nullptr);
}

TEST(Catalogue, TheScenariosThatBreakALockExist) {
  for (const Algorithm& a : catalogue()) {
    std::stringstream list{std::string(a.broken_by)};
    for (std::string name; std::getline(list >> std::ws, name, ',');) {
      const auto file = std::filesystem::path(LOCKPROOF_SOURCE) / "scenarios" / (name + ".toml");
      ASSERT_TRUE(std::filesystem::exists(file)) << file;
      EXPECT_EQ(harness::load_scenario(file.string()).algorithm, &a) << file;
    }
  }
}

TEST(Catalogue, EveryLockServesTwoClientsInTurn) {
  for (const Algorithm& a : catalogue()) {
    const auto s = tests::scenario(
        "[workload]\nrounds = 3\nlease = \"5s\"\nwork = [\"read\", \"hold 1s\", \"write\"]\n", std::string(a.name));
    const auto h = tests::run(s);
    EXPECT_EQ(tests::where(h, harness::What::enter).size(), 6u) << a.name;
    if (a.claims.double_grant == Claim::never) continue;  // redlock-unlock-by-name breaks without any fault
    for (const auto& finding : check::judge(h, s)) {
      EXPECT_EQ(finding.verdict, check::Verdict::not_found)
          << a.name << ": " << finding.property << " " << finding.what;
    }
  }
}

/// Whether client-2, which asks after two minutes, enters while client-1 works for four, with such a fault.
bool is_taken_over(const Algorithm& a, const std::string& fault) {
  const auto s = tests::scenario("[workload]\nwork = [\"hold 4min\"]\n" + fault +
                                     "[[client]]\nname = \"client-2\"\nstart = \"2min\"\n[run]\nhorizon = \"3min\"\n",
                                 std::string(a.name));
  return !tests::where(tests::run(s), harness::What::enter, "client-2").empty();
}

TEST(Catalogue, SaysWhatFreesALockWhoseHolderSaysNothingMore) {
  const std::string crash = "[[fault]]\nkind = \"crash\"\ntarget = \"client-1\"\nwhen = \"client-1 enters\"\n";
  for (const Algorithm& a : catalogue()) {
    EXPECT_EQ(is_taken_over(a, ""), expiry_of(a) == Expiry::lease) << a.name;
    if (expiry_of(a) != Expiry::none) {
      EXPECT_TRUE(is_taken_over(a, crash)) << a.name;
    }
  }
}

TEST(Scripts, AreTheirFilesByteForByte) {
  for (const Script& script : scripts::all) {
    std::string file;
    const auto path =
        std::filesystem::path(LOCKPROOF_SOURCE) / "algorithms/redis/scripts" / (std::string(script.name) + ".lua");
    FILE* opened = std::fopen(path.c_str(), "rb");
    ASSERT_TRUE(opened) << path;
    for (int c = std::fgetc(opened); c != EOF; c = std::fgetc(opened)) file += static_cast<char>(c);
    std::fclose(opened);
    EXPECT_EQ(script.text, file);
  }
}

/// Attempts while another client has the lock, of which Algorithm::refusal_writes says whether they leave something
/// behind.
TEST(Catalogue, SaysWhichRefusalsWrite) {
  for (const Algorithm& algorithm : catalogue()) {
    if (algorithm.refusal_writes) continue;
    const harness::Scenario scenario = tests::scenario(
        "[workload]\nclients = 3\nlease = \"10s\"\nwork = [\"hold 6s\"]\n", std::string(algorithm.name));
    const harness::History history = sim::run(scenario, 1);
    std::map<int, std::vector<const harness::Event*>> since;  // what servers ran of each attempt under way
    int refused = 0;
    for (const harness::Event& event : history.events) {
      if (event.what == harness::What::attempt) since[event.host].clear();
      if (event.what == harness::What::execute) since[event.peer].push_back(&event);
      if (event.what != harness::What::busy) continue;
      ++refused;
      for (const harness::Event* ran : since[event.host]) {
        for (const harness::Effect& effect : ran->effects) {
          EXPECT_EQ(effect.event, "expired") << algorithm.name << " writes " << effect.key;
        }
      }
    }
    EXPECT_GT(refused, 0) << algorithm.name;
  }
}

}  // namespace
}  // namespace lockproof::catalogue_test
