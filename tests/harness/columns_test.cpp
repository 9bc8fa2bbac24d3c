// SPDX-License-Identifier: Apache-2.0
// Text in lines of a width.
#include "harness/report/text/columns.hpp"

#include <gtest/gtest.h>

#include "harness/report/text/shell_word.hpp"
#include "harness/report/text/style.hpp"

namespace lockproof::harness {
namespace {

TEST(Columns, AreThoseOfATerminal) {
  EXPECT_EQ(columns_of("abc"), 3u);
  EXPECT_EQ(columns_of("é…→"), 3u);
  EXPECT_EQ(columns_of("鎖"), 2u) << "a wide character";
  EXPECT_EQ(columns_of("e\xcc\x81"), 1u) << "a combining accent";
  EXPECT_EQ(columns_of(Style(true).bad("red")), 3u);
  EXPECT_EQ(columns_of("\xff\xff"), 2u) << "no UTF-8";
}

TEST(Wrapped, HangsAndKeepsBlanksWithinALine) {
  EXPECT_EQ(wrapped("  a   b", 80, 4), "  a   b");
  EXPECT_EQ(wrapped("  name   one two three four", 16, 9), "  name   one two\n        three\n        four")
      << "no line begins behind its middle";
  EXPECT_EQ(wrapped("  n  one two three", 12, 5), "  n  one two\n     three");
  EXPECT_EQ(wrapped("one two   ", 7, 2), "one two");
}

TEST(Wrapped, KeepsANumberAndItsUnitTogether) {
  EXPECT_EQ(wrapped("after 12.024 s, and 3 ms", 12, 0), "after\n12.024 s,\nand 3 ms");
  EXPECT_EQ(wrapped("event 12 stays", 9, 0), "event 12\nstays");
}

TEST(Wrapped, CountsColumnsAndNotBytes) {
  EXPECT_EQ(wrapped("ééé ééé ééé", 7, 0), "ééé ééé\nééé");
  const std::string painted = Style(true).good("one two three");
  EXPECT_EQ(wrapped(painted, 7, 2), "\x1b[32mone two\n  three\x1b[0m");
}

TEST(Wrapped, GivesALongWordALineOrCutsIt) {
  EXPECT_EQ(wrapped("see /a/path/that/is/long now", 10, 2), "see\n  /a/path/that/is/long\n  now");
  EXPECT_EQ(wrapped("abcdefghijkl", 5, 2, LongWords::are_cut), "abc\n  def\n  ghi\n  jkl");
  EXPECT_EQ(wrapped("éééééééé", 4, 0, LongWords::are_cut), "éééé\néééé") << "no character is cut in two";
}

TEST(Fitted, BreaksEachLineBelowItsOwnBeginning) {
  EXPECT_EQ(fitted("short\n  one two three\n\nend\n", 10), "short\n  one two\n    three\n\nend\n");
}

TEST(Listed, BreaksBetweenItemsOnly) {
  EXPECT_EQ(listed({"pause 1s", "crash", "power cut"}, 14, 2), "pause 1s,\n  crash,\n  power cut");
  EXPECT_EQ(listed({"a", "b"}, 80, 2), "a, b");
}

TEST(CommandLines, AreOneCommandForAShell) {
  const std::string words = "lockproof run " + shell_word("a file; with blanks.toml") + " --seed 7";
  EXPECT_EQ(command_lines("reproduce: ", words, 80), "reproduce: " + words);
  EXPECT_EQ(command_lines("again: ", words, 40), "again: lockproof run \\\n    'a file; with blanks.toml' --seed 7");
  EXPECT_EQ(command_lines("", "lockproof x " + shell_word("it's a"), 14), "lockproof x \\\n    'it'\\''s a'");
}

TEST(Shortened, EndsWithAnEllipsis) {
  EXPECT_EQ(shortened("abcdef", 6), "abcdef");
  EXPECT_EQ(shortened("abcdef", 4), "abc…");
  EXPECT_EQ(shortened("ééé", 2), "é…");
}

}  // namespace
}  // namespace lockproof::harness
