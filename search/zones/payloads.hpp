// SPDX-License-Identifier: Apache-2.0
// Payloads: commands and replies, each once, by number.
#pragma once

#include <cstdint>
#include <deque>

#include "algorithms/port/command.hpp"
#include "search/containers/interner.hpp"

namespace lockproof::zones {

using Id = std::uint32_t;

class Payloads {
 public:
  Id add(const Command& command);
  Id add(const Reply& reply);
  [[nodiscard]] const Command& command(Id id) const { return commands_[id].payload; }
  [[nodiscard]] const Reply& reply(Id id) const { return replies_[id].payload; }
  /// The tokens in it, a bit each: see sim::token_name.
  [[nodiscard]] std::uint64_t tokens_of_command(Id id) const { return commands_[id].tokens; }
  [[nodiscard]] std::uint64_t tokens_of_reply(Id id) const { return replies_[id].tokens; }

 private:
  template <class Text>
  struct PayloadRecord {
    Text payload;
    std::uint64_t tokens;
  };
  sim::Interner command_bytes_, reply_bytes_;
  std::deque<PayloadRecord<Command>> commands_;
  std::deque<PayloadRecord<Reply>> replies_;
};

}  // namespace lockproof::zones
