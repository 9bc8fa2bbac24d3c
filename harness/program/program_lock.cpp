// SPDX-License-Identifier: Apache-2.0
#include "harness/program/program_lock.hpp"

#include <utility>

namespace lockproof::harness {

Task<Attempt> ProgramLock::try_acquire(Name name, std::optional<milliseconds> /*lease*/) {
  const Said said = co_await program_.ask(Question::acquire);
  if (said.word == Said::Word::busy) co_return Busy{};
  if (said.word == Said::Word::failed) co_return Failed(Error::no_reply);
  Grant grant(std::move(name), Token(""), deadline(said));
  grant.fence = said.fence;
  co_return grant;
}

Task<Result<Released>> ProgramLock::release(Grant /*grant*/) {
  const Said said = co_await program_.ask(Question::release);
  if (said.word == Said::Word::failed) co_return Error::no_reply;
  co_return said.ours.value_or(true) ? Released::yes : Released::not_ours;
}

Task<Result<std::optional<Grant>>> ProgramLock::renew(Grant grant) {
  const Said said = co_await program_.ask(Question::extend);
  if (said.word == Said::Word::failed) co_return Error::no_reply;
  if (said.word == Said::Word::lost) co_return std::optional<Grant>();
  grant.deadline = deadline(said);
  co_return std::optional<Grant>(grant);
}

Task<Result<bool>> ProgramLock::touch(Grant /*grant*/) {
  const Said said = co_await program_.ask(Question::touch);
  if (said.word == Said::Word::failed) co_return Error::no_reply;
  co_return said.word == Said::Word::touch;
}

Deadline ProgramLock::deadline(const Said& said) const {
  if (said.valid_ms) return clock_.mono() + milliseconds(*said.valid_ms);
  return program_.promised();
}

}  // namespace lockproof::harness
