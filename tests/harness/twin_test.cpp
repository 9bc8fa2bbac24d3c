// SPDX-License-Identifier: Apache-2.0
// A twin is its scenario without the faults that [twin] names, and expects that nothing is violated.
#include "harness/scenario/file/parse_twin.hpp"

#include <gmock/gmock.h>

#include "harness/scenario/file/parse.hpp"

namespace lockproof::harness::twin_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* two_faults = R"(
[algorithm]
name = "set-px-token"

[[fault]]
kind = "pause"
target = "client-1"
at = "1s"
for = "3s"

[[fault]]
kind = "crash"
target = "client-2"
at = "2s"

[expect]
run = "unknown"
)";

Scenario parsed(const std::string& file, const std::string& twin) {
  return parse_scenario(file, std::string(two_faults) + twin);
}

std::string refusal(const std::string& file, const std::string& twin) {
  try {
    (void)parsed(file, twin);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(Twin, OfAScenarioHasNoneOfItsFaults) {
  const Scenario twin = parsed("a-twin.toml", "[twin]\nwithout = \"faults\"\n");
  EXPECT_THAT(twin.faults, IsEmpty());
  EXPECT_EQ(twin.name, "a-twin");
  EXPECT_EQ(parsed("a-twin.toml", "[twin]\nwithout = \"faults\"\ntitle = \"b\"\n").title, "b");
  EXPECT_EQ(twin.title, "a without its cause");
  EXPECT_EQ(twin.expect.run->at("mutual-exclusion"), "no-violation");
  EXPECT_EQ(twin.expect.explore->at("mutual-exclusion"), "holds");
  EXPECT_EQ(twin.expect.real->at("mutual-exclusion"), "no-violation");
}

TEST(Twin, HasATextOfItsOwnThatReadsTheSame) {
  const std::string end = "[twin]\nwithout = \"faults\"\n";
  const Scenario twin = parsed("a-twin.toml", end);
  EXPECT_NE(twin.text, parsed("a.toml", end).text);
  EXPECT_EQ(parse_scenario("a-twin.toml", twin.text), twin);
}

TEST(Twin, KeepsFaultsThatAreNotTheCause) {
  const Scenario twin = parsed("a-twin.toml", "[twin]\nwithout = [\"pause of client-1\"]\n");
  ASSERT_THAT(twin.faults, SizeIs(1));
  EXPECT_EQ(twin.faults[0].kind, FaultKind::crash);
}

TEST(Twin, MayExpectMore) {
  const Scenario twin =
      parsed("a-twin.toml", "[twin]\nwithout = \"faults\"\nexpect.liveness = \"holds\"\nexpect.run = \"unknown\"\n");
  EXPECT_EQ(twin.expect.liveness, "holds");
  EXPECT_EQ(twin.expect.run->at("mutual-exclusion"), "unknown");
  EXPECT_EQ(twin.expect.explore->at("mutual-exclusion"), "holds");
}

TEST(Twin, LeavesItsScenarioAsItIs) {
  const Scenario scenario = parsed("a.toml", "[twin]\nwithout = \"faults\"\n");
  EXPECT_THAT(scenario.faults, SizeIs(2));
  EXPECT_EQ(scenario.expect.run->at("mutual-exclusion"), "unknown");
  EXPECT_THAT(parsed("a-twin.toml", "").faults, SizeIs(2)) << "a file of its own, whatever its name";
}

TEST(Twin, IsRefusedWhereItSaysNothingThatIsThere) {
  const char* const misspelt = "[twin]\nwithout = [\"pause of client-2\"]\n";
  EXPECT_THAT(refusal("a.toml", misspelt), HasSubstr("a.toml:19: "));
  EXPECT_THAT(refusal("a-twin.toml", misspelt), HasSubstr("a.toml:19: ")) << "where the line is";
  EXPECT_THAT(refusal("a.toml", misspelt), HasSubstr("did you mean 'pause of client-1'?"));
  EXPECT_THAT(refusal("a.toml", "[twin]\nwithout = \"fault\"\n"), HasSubstr("did you mean 'faults'?"));
  EXPECT_THAT(refusal("a.toml", "[twin]\nwithout = []\n"), HasSubstr("names no fault"));
  EXPECT_THAT(refusal("a.toml", "[twin]\n"), HasSubstr("'without'"));
}

}  // namespace
}  // namespace lockproof::harness::twin_test
