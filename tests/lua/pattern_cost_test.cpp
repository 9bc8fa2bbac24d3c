// SPDX-License-Identifier: Apache-2.0
// What a pattern costs before Lua's own matcher begins.
#include "harness/lua/pattern_cost.hpp"

#include <gtest/gtest.h>

#include <string>

namespace lockproof::lua {
namespace {

constexpr std::uint64_t most = 1'000'000, all = ~std::uint64_t{0};

std::string repeated(const std::string& text, int times) {
  std::string all_of_it;
  for (int i = 0; i < times; ++i) all_of_it += text;
  return all_of_it;
}

std::uint64_t cost(const std::string& subject, const std::string& pattern, std::uint64_t matches = 1) {
  return pattern_cost(subject, pattern, 0, matches, true, most);
}

TEST(PatternCost, GrowsWithWhatIsGoneThrough) {
  EXPECT_LT(cost("key", "key"), 20U);
  EXPECT_GE(cost(repeated("a", 1000), "b"), 1000U) << "each position is tried";
  EXPECT_LT(cost(repeated("a", 1000), "^b"), 20U) << "an anchor is tried once";
  EXPECT_GT(cost(repeated("a", 100), "a", all), 4 * cost(repeated("a", 100), "a")) << "every match costs";
}

TEST(PatternCost, IsTooMuchWhereAlternativesDouble) {
  const std::string doubles = repeated("a?", 40) + repeated("a", 40);
  EXPECT_GT(cost(repeated("a", 40), doubles), most);
  EXPECT_LT(cost(repeated("a", 80), doubles), most) << "here the first alternative matches";
  EXPECT_GT(cost(repeated("a", 400), ".-.-.-.-b"), most);
}

TEST(PatternCost, TakesTheWayThatLuaTakes) {
  EXPECT_LT(cost("(a(b)c)" + repeated("x", 500), "%b()"), 50U) << "the first balanced pair ends it";
  EXPECT_LT(cost("THE (quick) fox" + repeated("x", 500), "%f[%a]%a+"), 50U);
  EXPECT_LT(cost("abab" + repeated("x", 500), "(ab)%1"), 50U);
  EXPECT_LT(cost("]-^" + repeated("x", 500), "[]%-^]+"), 50U);
  EXPECT_GE(cost(repeated("x", 500), "[^x]"), 500U);
}

TEST(PatternCost, EndsWhereAPatternIsMalformed) {
  for (const char* const pattern : {"%", "[a", "(", ")", "%1", "%b", "%f", "[%"})
    EXPECT_LT(cost(repeated("a", 1000), pattern), 5000U) << pattern;
}

}  // namespace
}  // namespace lockproof::lua
