// SPDX-License-Identifier: Apache-2.0
#include "harness/program/question.hpp"

#include <fmt/format.h>

#include <array>

namespace lockproof::harness {

std::string_view name(Question question) {
  constexpr std::array<std::string_view, 5> names{"", "acquire", "touch", "extend", "release"};
  return names.at(static_cast<std::size_t>(question));
}

bool answers(ProgramLine::Word word, Question question) {
  using enum ProgramLine::Word;
  switch (question) {
    case Question::nothing: return false;
    case Question::acquire: return word == acquired || word == busy || word == failed;
    case Question::touch: return word == touch || word == lost || word == failed;
    case Question::extend: return word == extended || word == lost || word == failed;
    case Question::release: return word == released || word == failed;
  }
  return false;
}

std::string line_of(Question question, int round) {
  const std::string of_round = question == Question::acquire ? fmt::format(R"(,"round":{})", round) : "";
  return fmt::format(R"({{"do":"{}"{}}})", name(question), of_round);
}

}  // namespace lockproof::harness
