// SPDX-License-Identifier: Apache-2.0
// Grant is valid: who is given the lock has it. The kinds: `expired`, what it is promised is over when it is given; of
// programs also `not-held`, the key is not its own on a majority of the servers as its word arrives.
#include <fmt/format.h>

#include <optional>

#include "harness/check/lock_key.hpp"
#include "harness/program/program_lock.hpp"

namespace lockproof::check {
namespace {

class GrantIsValid final : public CopyableMonitor<GrantIsValid> {
 public:
  GrantIsValid(const harness::Header& header, const harness::Scenario& scenario)
      : header_(header), of_program_(scenario.program.has_value()) {
    if (of_program_) key_.emplace(header, scenario);
  }

  void see(std::size_t position, const harness::Event& event) override {
    if (key_) key_->see(event);
    if (event.what != harness::What::granted || found_.verdict == Verdict::violated) return;
    const bool held = !key_ || !header_.sees_servers || !key_->not_held_since(event.host, event.at);
    const bool promised = event.word != harness::unpromised;
    if (held && promised && event.left && event.left->time <= Duration{}) {
      find(position, "expired",
           of_program_
               ? fmt::format("{} was granted the lock with a validity of {}", place(header_, event),
                             seconds_text(event.left->time))
               : fmt::format("{} was granted the lock, and the grant's deadline had come", place(header_, event)));
    } else if (!held) {
      find(position, "not-held",
           fmt::format("{} was granted the lock, and {}", place(header_, event),
                       key_->was_taken_by(event.host) ? "the key that its attempt had made was not its own any more"
                                                      : "the servers had not given it: the key is not its own"));
    }
  }
  [[nodiscard]] Finding finding() const override {
    if (!of_program_ || header_.sees_servers || found_.verdict == Verdict::violated) return found_;
    Finding unseen{"", Verdict::unknown, "", "nothing was seen on the servers that is the lock", {}};
    unseen.judged = false;
    return unseen;
  }
  void forget() override { found_ = {}; }
  void encode(MonitorEncoding& into) const override {
    if (key_) key_->encode(into, Duration(1));
  }

 private:
  void find(std::size_t position, const char* kind, std::string what) {
    found_ = {"", Verdict::violated, kind, std::move(what), {position}};
  }

  const harness::Header& header_;
  const bool of_program_;
  std::optional<LockKey> key_;  // of a program
  Finding found_;
};

}  // namespace

std::unique_ptr<Monitor> watch_grant_is_valid(const harness::Header& header, const harness::Scenario& scenario) {
  return std::make_unique<GrantIsValid>(header, scenario);
}

Finding grant_is_valid(const harness::History& history, const harness::Scenario& scenario) {
  return judge_with(watch_grant_is_valid, history, scenario);
}

}  // namespace lockproof::check
