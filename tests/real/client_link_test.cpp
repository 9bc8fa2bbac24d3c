// SPDX-License-Identifier: Apache-2.0
// What a client process and the supervisor say to each other.
#include "real/client/client_link.hpp"

#include <gtest/gtest.h>

namespace lockproof::tests::client_link_test {
namespace {

TEST(Notice, SurvivesBeingWrittenAndRead) {
  const std::string line = real::to_line({real::Notice::Kind::failed, 42, -7, "no server, and no hope"});
  ASSERT_EQ(line.back(), '\n');
  const auto notice = real::notice_from(std::string_view(line).substr(0, line.size() - 1));
  ASSERT_TRUE(notice);
  EXPECT_EQ(notice->kind, real::Notice::Kind::failed);
  EXPECT_EQ(notice->number, 42);
  EXPECT_EQ(notice->other, -7);
  EXPECT_EQ(notice->text, "no server, and no hope");
}

TEST(Notice, MayHaveNoText) {
  const std::string line = real::to_line({.kind = real::Notice::Kind::ready, .text = {}});
  const auto notice = real::notice_from(std::string_view(line).substr(0, line.size() - 1));
  ASSERT_TRUE(notice);
  EXPECT_EQ(notice->kind, real::Notice::Kind::ready);
  EXPECT_TRUE(notice->text.empty());
}

TEST(Notice, ALineThatACrashCutOffIsNone) {
  EXPECT_FALSE(real::notice_from(""));
  EXPECT_FALSE(real::notice_from("W"));
  EXPECT_FALSE(real::notice_from("W 42"));
  EXPECT_FALSE(real::notice_from("W 42 0"));
}

}  // namespace
}  // namespace lockproof::tests::client_link_test
