// SPDX-License-Identifier: Apache-2.0
#include "harness/program/program_lock.hpp"

#include <utility>

namespace lockproof::harness {
namespace {

constexpr std::size_t error_most = 200;  // characters

}  // namespace

Task<ProgramLine> ProgramLock::ask(Question question) {
  answer_ = co_await program_.ask(question);
  co_return answer_;
}

Task<Attempt> ProgramLock::try_acquire(Name name, std::optional<milliseconds> /*lease*/) {
  const ProgramLine said = co_await ask(Question::acquire);
  if (said.word == ProgramLine::Word::busy) co_return Busy{};
  if (said.word == ProgramLine::Word::failed) co_return Failure(Error::no_reply);
  Grant grant(std::move(name), Token(""), deadline(said));
  grant.fence = said.fence;
  co_return grant;
}

Task<Result<ReleaseResult>> ProgramLock::release(Grant /*grant*/) {
  const ProgramLine said = co_await ask(Question::release);
  if (said.word == ProgramLine::Word::failed) co_return Error::no_reply;
  co_return said.ours.value_or(true) ? ReleaseResult::yes : ReleaseResult::not_ours;
}

Task<Result<std::optional<Grant>>> ProgramLock::renew(Grant grant) {
  const ProgramLine said = co_await ask(Question::extend);
  if (said.word == ProgramLine::Word::failed) co_return Error::no_reply;
  if (said.word == ProgramLine::Word::lost) co_return std::optional<Grant>();
  grant.deadline = deadline(said);
  co_return std::optional<Grant>(grant);
}

Task<Result<bool>> ProgramLock::touch(Grant /*grant*/) {
  const ProgramLine said = co_await ask(Question::touch);
  if (said.word == ProgramLine::Word::failed) co_return Error::no_reply;
  co_return said.word == ProgramLine::Word::touch;
}

void ProgramLock::complete(Event& event) const {
  const bool fails = event.what == What::failed || event.what == What::released || event.what == What::renewal_failed ||
                     event.what == What::touch_failed;
  if (fails && event.error)
    event.word = answer_.word == ProgramLine::Word::failed ? shown(answer_.error, error_most) : "";
  if (event.what == What::granted && !answer_.valid_ms) event.word = unpromised;
}

Deadline ProgramLock::deadline(const ProgramLine& said) const {
  if (said.valid_ms) return clock_.mono() + milliseconds(*said.valid_ms);
  return program_.promised();
}

}  // namespace lockproof::harness
