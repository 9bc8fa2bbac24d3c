// SPDX-License-Identifier: Apache-2.0
// ProgramLock: a program of somebody else's as a Lock, over the line protocol, in both worlds. A world gives it the
// program, and says what the servers have promised the program.
#pragma once

#include <optional>
#include <string_view>

#include "algorithms/port/lock.hpp"
#include "harness/history/event.hpp"
#include "harness/program/question.hpp"

namespace lockproof::harness {

/// A program as its lock sees it.
class ProgramPort : public PinnedObject {
 public:
  /// Tells it to do something, and waits for its answer. One question at a time.
  [[nodiscard]] virtual Task<ProgramLine> ask(Question question) = 0;
  /// Up to when the lock is its own after a grant that says nothing of it, by the client's clock.
  [[nodiscard]] virtual Deadline promised() = 0;
  /// All that decides what it will do, as a value that can be compared.
  [[nodiscard]] virtual State state() const = 0;

 protected:
  ~ProgramPort() = default;
};

/// The word of a `granted` event whose deadline is the key's: the program has promised nothing.
inline constexpr std::string_view unpromised = "unpromised";

class ProgramLock final : public Lock {
 public:
  ProgramLock(ProgramPort& program, Clock& clock) : program_(program), clock_(clock) {}

  Task<Attempt> try_acquire(Name name, std::optional<milliseconds> lease) override;
  Task<Result<ReleaseResult>> release(Grant grant) override;
  Task<Result<std::optional<Grant>>> renew(Grant grant) override;
  Task<Result<bool>> touch(Grant grant) override;
  [[nodiscard]] Retry retry() const override { return {milliseconds(100), milliseconds(100)}; }
  [[nodiscard]] State state() const override { return program_.state(); }

  /// Puts the program's last answer on an event of its client: why it has failed; whether it has promised nothing.
  void complete(Event& event) const;

 private:
  [[nodiscard]] Task<ProgramLine> ask(Question question);
  [[nodiscard]] Deadline deadline(const ProgramLine& said) const;

  ProgramPort& program_;
  Clock& clock_;
  ProgramLine answer_;  // the last one
};

}  // namespace lockproof::harness
