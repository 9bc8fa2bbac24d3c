// SPDX-License-Identifier: Apache-2.0
// The messages between a client process and the supervisor while the scenario runs: lines to the supervisor, single
// bytes to the client. What the client only records is in its ledger.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "algorithms/port/instant.hpp"

namespace lockproof::real {

struct Notice {
  enum class Kind : char {
    ready = 'R',    // all connections are open
    pauses = 'P',   // number: the fault; other: scenario time of its end. It stops itself now
    woke = 'W',     // number: the fault
    crashes = 'K',  // number: the fault. It kills itself now
    strike = 'S',   // number: a fault that the supervisor shall make strike; other: when; text: the message
                    // to strike, see StruckMessage. Answered by a byte
    failed = 'F',   // text: why the client cannot go on
    wrong = 'I',    // text: the same, and what a person wrote is to blame
    lacks = 'L',    // text: the same, and the machine is to blame
  };
  Kind kind = Kind::ready;
  std::int64_t number = 0;
  std::int64_t other = 0;
  std::string_view text;
};

/// The supervisor's messages, a byte each.
enum class Order : char {
  go_on = 'g',      // the answer to `ready` and `strike`
  kill_task = 'k',  // followed by a byte: the fault
  clocks = 'c',     // the host's clocks run at another rate
};

/// A message on a client's connection: the server's host index, the port of the client's end, the message's number.
struct StruckMessage {
  int server = -1, port = 0, number = 0;
};
[[nodiscard]] std::string to_text(const StruckMessage& message);
[[nodiscard]] StruckMessage struck_message_from(std::string_view text);

[[nodiscard]] std::string to_line(const Notice& notice);
/// Parses a line without its line end. The text refers to the line.
[[nodiscard]] std::optional<Notice> notice_from(std::string_view line);

}  // namespace lockproof::real
