// SPDX-License-Identifier: Apache-2.0
// Framing: how a protocol divides a stream of bytes into requests and replies. The proxy's faults strike whole
// messages, so it has to know where one ends; nothing else about a protocol matters to it. Codec: a protocol that
// lockproof also writes and reads itself.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "algorithms/port/command.hpp"

namespace lockproof::real {

class Framing {
 public:
  virtual ~Framing() = default;
  /// Bytes of the first message in `bytes`, a request or a reply; 0 if it is not complete yet, or never will be.
  [[nodiscard]] virtual std::size_t size(std::string_view bytes) const = 0;
  /// The command in a whole request; a command without words if it is malformed.
  [[nodiscard]] virtual Command request(std::string_view bytes) const = 0;
  /// Whether these bytes of a server, a whole message, answer no request.
  [[nodiscard]] virtual bool is_news(std::string_view /*bytes*/) const { return false; }
  /// The name by which scenarios place faults at a command that was read from the wire.
  [[nodiscard]] virtual std::string name_of(const Command& command) const { return std::string(command.verb()); }
};

class Codec : public Framing {
 public:
  /// The request as it is sent.
  [[nodiscard]] virtual std::string encode(const Command& command) const = 0;
  /// Parses a whole reply to that command; a reply of kind error if it is malformed.
  [[nodiscard]] virtual Reply reply(const Command& to, std::string_view bytes) const = 0;
};

}  // namespace lockproof::real
