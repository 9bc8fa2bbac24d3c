// SPDX-License-Identifier: Apache-2.0
// ZooKeeper's protocol, as far as the requests of algorithms/zookeeper need it. A connection begins with a handshake,
// which opens a session or goes on with one; so the session that a request names is not in its bytes. A message is a
// length and a body. On the wire a node's name has a slash before it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "algorithms/port/instant.hpp"
#include "real/network/framing.hpp"

namespace lockproof::real {

/// A session as its server knows it. Id 0: none.
struct SessionKey {
  std::int64_t id = 0;
  std::string password{};  // empty: 16 zeros
};

/// The answer to a handshake. Id 0: the session has ended.
struct Welcome {
  SessionKey session;
  milliseconds timeout{};  // as the server's clock counts
};

/// Begins a connection, with that session or a new one.
[[nodiscard]] std::string handshake(milliseconds timeout, const SessionKey& session = {});
/// Nothing: it is malformed.
[[nodiscard]] std::optional<Welcome> welcome_in(std::string_view message);

/// A request that is not CONNECT. Its reply has the same number, unless it is a ping. Empty: it is none that there is.
[[nodiscard]] std::string request_of(const Command& command, std::int32_t number);

/// What every reply begins with.
struct ReplyHead {
  std::int32_t number;
  std::int64_t transaction;  // the last one that the server had run by then
  std::int32_t error;        // 0: none
};
/// Nothing: it is malformed.
[[nodiscard]] std::optional<ReplyHead> head_of(std::string_view message);
/// A whole reply to a request that is not CONNECT, as locks read it; a reply of kind error if it is malformed.
[[nodiscard]] Reply reply_in(std::string_view verb, std::string_view message);
/// The node that a watch tells of; nothing: the message is none of a watch.
[[nodiscard]] std::optional<std::string> told_in(std::string_view message);

class ZooKeeperFraming final : public Framing {
 public:
  [[nodiscard]] std::size_t size(std::string_view bytes) const override;
  /// The command without its session. A handshake is CONNECT if it opens a session, and else has no words.
  [[nodiscard]] Command request(std::string_view bytes) const override;
  [[nodiscard]] bool is_news(std::string_view bytes) const override { return told_in(bytes).has_value(); }
};

}  // namespace lockproof::real
