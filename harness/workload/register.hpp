// SPDX-License-Identifier: Apache-2.0
// Register: what the lock protects, in both worlds: a register with a version. READ answers the version; WRITE with the
// version that the new content was made from is accepted whatever that version is, and answers the new one: a write
// based on an old version is a lost update, and the checker finds it. With fencing it refuses an access whose token is
// older than one that it has seen (Kleppmann, "How to do distributed locking", 2016).
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
    const bool write = command.verb() == "WRITE";
    const std::size_t plain = write ? 2 : 1;  // words without a fencing token
    const std::size_t count = command.words().size();
    if ((!write && command.verb() != "READ") || count < plain || count > plain + 1) {
      return Reply::error("ERR the resource knows READ [token] and WRITE base [token]");
    }
    const bool checks = fencing_ == Fencing::all || (fencing_ == Fencing::writes && write);
    if (checks && count > plain && !admits(command.words().back())) {
      return Reply::error("FENCED a newer token has been seen");
    }
    return Reply::integer(write ? ++version_ : version_);
  }

  [[nodiscard]] std::int64_t version() const { return version_; }
  [[nodiscard]] std::int64_t newest_token() const { return newest_; }

 private:
  bool admits(const Value& word) {
    std::int64_t token = 0;
    std::from_chars(word.bytes().data(), word.bytes().data() + word.bytes().size(), token);
    if (token < newest_) return false;
    newest_ = token;
    return true;
  }

  const Fencing fencing_;
  std::int64_t version_ = 0, newest_ = 0;
};

}  // namespace lockproof::harness
