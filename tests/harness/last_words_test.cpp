// SPDX-License-Identifier: Apache-2.0
#include "harness/program/last_words.hpp"

#include <gtest/gtest.h>

namespace lockproof::harness::last_words_test {
namespace {

std::string of(const std::string& errors) {
  const std::string words = last_words(errors);
  const std::string begin = "; its last words: ";
  return words.starts_with(begin) ? words.substr(begin.size()) : words;
}

TEST(LastWords, AreTheErrorAndNotWhatTheRuntimeWritesBelowIt) {
  EXPECT_EQ(
      of("/x/lock.js:3\n    throw new Error('lost lock')\n    ^\n\nError: lost lock\n    at hear (/x/lock.js:3:11)\n"
         "\nNode.js v20.20.2\n"),
      "Error: lost lock");
  EXPECT_EQ(of("Traceback (most recent call last):\n  File \"x.py\", line 3, in <module>\n    raise KeyError('key')\n"
               "KeyError: 'key'\n"),
            "KeyError: 'key'");
  EXPECT_EQ(of("Exception in thread \"main\" java.lang.IllegalStateException: lost\n\tat Lock.main(Lock.java:3)\n"),
            "Exception in thread \"main\" java.lang.IllegalStateException: lost");
  EXPECT_EQ(of("panic: lost\n\ngoroutine 1 [running]:\nmain.main()\n\t/x/lock.go:3 +0x1d\nexit status 2\n"),
            "panic: lost");
}

TEST(LastWords, GoOnBelowAColon) {
  EXPECT_EQ(of("thread 'main' panicked at src/main.rs:2:5:\nlost\nnote: run with `RUST_BACKTRACE=1`\n"),
            "thread 'main' panicked at src/main.rs:2:5: lost");
}

TEST(LastWords, AreTheLastLineWhereNoneNamesAnError) {
  EXPECT_EQ(of("migrating\nlost the lock\n\n"), "lost the lock");
  EXPECT_EQ(of("\n\n"), "");
  EXPECT_EQ(of(""), "");
}

}  // namespace
}  // namespace lockproof::harness::last_words_test
