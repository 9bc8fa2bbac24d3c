// SPDX-License-Identifier: Apache-2.0
// Who writes a retired word is told its new name, and nothing else happens.
#include "harness/scenario/retired.hpp"

#include <gtest/gtest.h>

#include "harness/scenario/names.hpp"

namespace lockproof::harness {
namespace {

TEST(RetiredWords, AreToldTheirNewNames) {
  for (const auto& [old, now] : retired_words()) {
    EXPECT_EQ(new_name_of(old), now);
    EXPECT_EQ(suggestion(old, {"lease", std::string(now), "retry"}),
              "; '" + std::string(old) + "' is now called '" + std::string(now) + "'");
  }
}

TEST(RetiredWords, AreNothingWhereTheNewNameIsNoChoice) {
  for (const auto& [old, now] : retired_words()) {
    EXPECT_EQ(suggestion(old, {"lease"}).find("is now called"), std::string::npos) << old;
  }
}

TEST(RetiredWords, HaveNewNamesThatAreNotRetired) {
  for (const auto& [old, now] : retired_words()) EXPECT_EQ(new_name_of(now), "") << old;
}

}  // namespace
}  // namespace lockproof::harness
