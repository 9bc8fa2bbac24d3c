// SPDX-License-Identifier: Apache-2.0
// Register: what the lock protects, with its version and, with fencing, the newest token that it has seen. The same as
// sim/world/resource.hpp.
#pragma once

#include <charconv>
#include <cstdint>

#include "algorithms/port/command.hpp"
#include "harness/scenario/scenario.hpp"

namespace lockproof::real {

class Register {
 public:
  explicit Register(harness::Fencing fencing) : fencing_(fencing) {}

  Reply execute(const Command& command) {
    const bool write = command.verb() == "WRITE";
    const std::size_t plain = write ? 2 : 1;  // words without a fencing token
    const std::size_t count = command.words().size();
    if ((!write && command.verb() != "READ") || count < plain || count > plain + 1) {
      return Reply::error("ERR the resource knows READ [token] and WRITE base [token]");
    }
    const bool checks = fencing_ == harness::Fencing::all || (fencing_ == harness::Fencing::writes && write);
    if (checks && count > plain && !admits(command.words().back())) {
      return Reply::error("FENCED a newer token has been seen");
    }
    return Reply::integer(write ? ++version_ : version_);
  }

 private:
  bool admits(const Value& word) {
    std::int64_t token = 0;
    std::from_chars(word.bytes().data(), word.bytes().data() + word.bytes().size(), token);
    if (token < newest_) return false;
    newest_ = token;
    return true;
  }

  const harness::Fencing fencing_;
  std::int64_t version_ = 0, newest_ = 0;
};

}  // namespace lockproof::real
