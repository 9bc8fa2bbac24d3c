// SPDX-License-Identifier: Apache-2.0
// Framing: how a protocol divides a stream of bytes into requests and replies. The proxy's faults strike whole
// messages, so it has to know where one ends; nothing else about a protocol matters to it. Codec: a protocol that
// lockproof also writes and reads itself.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "algorithms/port/command.hpp"

namespace lockproof::real {

class Framing {
 public:
  virtual ~Framing() = default;
  /// Bytes of the first message in `bytes`, a request or a reply; 0 if it is not complete yet, or never will be.
  [[nodiscard]] virtual std::size_t size(std::string_view bytes) const = 0;
  /// The same for bytes of a server. `to`: the first request that it has not answered; null: it has answered all.
  [[nodiscard]] virtual std::size_t reply_size(std::string_view bytes, const Command* /*to*/) const {
    return size(bytes);
  }
  /// The command in a whole request; a command without words if it is malformed, or belongs to the connection and not
  /// to what it is used for.
  [[nodiscard]] virtual Command request(std::string_view bytes) const = 0;
  /// One for a single connection, which remembers what has been said on it, for protocols whose later messages refer to
  /// earlier ones; null: this one serves all connections.
  [[nodiscard]] virtual std::unique_ptr<Framing> for_connection() const { return nullptr; }
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
