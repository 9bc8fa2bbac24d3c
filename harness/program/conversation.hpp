// SPDX-License-Identifier: Apache-2.0
// Conversation: the line protocol with a program that is ready, in both worlds: which question is open, and what a line
// of the program means then. A plain value.
#pragma once

#include <string>
#include <string_view>

#include "harness/program/question.hpp"

namespace lockproof::harness {

/// What a line means.
struct LineMeaning {
  enum class Kind : std::uint8_t {
    answer,      // to the open question, which no longer is
    loss,        // news: the lock of this round is lost
    late_touch,  // an access that was announced as the news of a loss came
    old_news,    // of an earlier round
    wrong,       // a breach of the protocol
  };
  Kind kind = Kind::old_news;
  ProgramLine said{};
  std::string breach{};  // in words
};

class Conversation {
 public:
  /// Opens a question, and returns its line. REQUIRES: none is open.
  [[nodiscard]] std::string ask(Question question, int round);
  /// `round`: the client's current one.
  [[nodiscard]] LineMeaning hear(std::string_view line, int round);
  [[nodiscard]] Question asked() const { return asked_; }
  /// Nothing more is asked or answered.
  void end() { *this = Conversation(); }

 private:
  int lines_ = 0;  // that it has heard
  Question asked_ = Question::nothing;
  bool touch_may_come_ = false;  // a loss has answered a touch, and may have been news said just before the answer
};

}  // namespace lockproof::harness
