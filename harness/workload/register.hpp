// SPDX-License-Identifier: Apache-2.0
// Register: what the lock protects, in both worlds: a register with a version. READ answers the version; WRITE with the
// version that the new content was made from is accepted whatever that version is, and answers the new one: a write
// based on an old version is a lost update, and the checker finds it. TOUCH is a write based on whatever version is
// current. With fencing it refuses an access whose token is older than one that it has seen (Kleppmann, "How to do
// distributed locking", 2016). CLAIM gives each period once, in their order: 1 for the first client that claims it, 0
// for all others.
#pragma once

#include <charconv>
#include <cstdint>

#include "algorithms/port/command.hpp"
#include "harness/scenario/scenario.hpp"

namespace lockproof::harness {

class Register {
 public:
  explicit Register(Fencing fencing) : fencing_(fencing) {}

  Reply execute(const Command& command) {
    if (command.verb() == "CLAIM") return claim(command);
    const bool touch = command.verb() == "TOUCH", write = touch || command.verb() == "WRITE";
    const std::size_t plain = write && !touch ? 2 : 1;  // words without a fencing token
    const std::size_t count = command.args().size();
    if ((!write && command.verb() != "READ") || count < plain || count > plain + 1) {
      return Reply::error("ERR the resource knows READ [token], WRITE base [token], TOUCH [token] and CLAIM period");
    }
    const bool checks = fencing_ == Fencing::all || (fencing_ == Fencing::writes && write);
    if (checks && count > plain && !admits(command.args().back())) {
      return Reply::error("FENCED a newer token has been seen");
    }
    return Reply::integer(write ? ++version_ : version_);
  }

  [[nodiscard]] std::int64_t version() const { return version_; }
  [[nodiscard]] std::int64_t newest_token() const { return newest_; }
  [[nodiscard]] std::int64_t last_period() const { return period_; }

 private:
  static std::int64_t number(const Value& word) {
    std::int64_t n = 0;
    std::from_chars(word.bytes().data(), word.bytes().data() + word.bytes().size(), n);
    return n;
  }
  Reply claim(const Command& command) {
    const std::int64_t period = command.args().size() == 2 ? number(command.args()[1]) : 0;
    const bool is_first = period > period_;
    if (is_first) period_ = period;
    return Reply::integer(is_first);
  }
  bool admits(const Value& word) {
    const std::int64_t token = number(word);
    if (token < newest_) return false;
    newest_ = token;
    return true;
  }

  const Fencing fencing_;
  std::int64_t version_ = 0, newest_ = 0, period_ = 0;
};

}  // namespace lockproof::harness
