// SPDX-License-Identifier: Apache-2.0
#include "harness/program/conversation.hpp"

#include <fmt/format.h>

#include <utility>

namespace lockproof::harness {

std::string Conversation::ask(Question question, int round) {
  asked_ = question;
  return line_of(question, round);
}

LineMeaning Conversation::hear(std::string_view line, int round) {
  if (++lines_ > lines_most) return {LineMeaning::Kind::wrong, {}, fmt::format("says more than {} lines", lines_most)};
  ParsedLine parsed = said_from(line);
  if (!parsed.said) return {LineMeaning::Kind::wrong, {}, std::move(parsed.wrong)};
  ProgramLine& said = *parsed.said;
  const bool tells_loss = said.word == ProgramLine::Word::lost;
  if (tells_loss && said.round && *said.round != round) return {LineMeaning::Kind::old_news};
  if (answers(said.word, asked_)) {
    touch_may_come_ = tells_loss && asked_ == Question::touch;
    asked_ = Question::nothing;
    return {LineMeaning::Kind::answer, std::move(said)};
  }
  if (tells_loss) return {LineMeaning::Kind::loss, std::move(said)};
  if (said.word == ProgramLine::Word::touch && std::exchange(touch_may_come_, false))
    return {LineMeaning::Kind::late_touch};
  const std::string instead =
      asked_ == Question::nothing ? "and was not asked anything" : fmt::format("when it was told to {}", name(asked_));
  return {LineMeaning::Kind::wrong, {}, fmt::format("says '{}' {}", name(said.word), instead)};
}

}  // namespace lockproof::harness
