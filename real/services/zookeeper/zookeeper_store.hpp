// SPDX-License-Identifier: Apache-2.0
// ZooKeeperStore: the port Store on a real ZooKeeper. A connection is of one session: it begins with a handshake, which
// opens the session or goes on with it, and leaves together with the connection's first command, so that nothing but a
// client's own commands keeps a session. Locks know a session by a small number; its id and password stay here.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "real/client/news.hpp"
#include "real/client/socket_store.hpp"
#include "real/services/zookeeper/wire.hpp"

namespace lockproof::real {

/// The small numbers of sessions. Each server gives ids of its own, one after the other, with its number in front.
struct SessionNumbers {
  std::vector<std::int64_t> before;  // for each server, the id of the session before its first one

  /// Of one server from 1; of n servers the first one's are 1, n + 1, 2 n + 1 …, and so on.
  [[nodiscard]] std::int64_t of(std::int64_t id) const;
  [[nodiscard]] std::int64_t id_of(std::int64_t number) const;
};

/// The protocol as SocketStore divides it; what is written and read depends on the connection.
class ZooKeeperCodec final : public Codec {
 public:
  [[nodiscard]] std::size_t size(std::string_view bytes) const override { return framing_.size(bytes); }
  [[nodiscard]] Command request(std::string_view bytes) const override { return framing_.request(bytes); }
  [[nodiscard]] bool is_news(std::string_view bytes) const override { return framing_.is_news(bytes); }
  [[nodiscard]] std::string encode(const Command& command) const override { return request_of(command, 1); }
  [[nodiscard]] Reply reply(const Command& to, std::string_view bytes) const override {
    return reply_in(to.verb(), bytes);
  }

 private:
  ZooKeeperFraming framing_;
};

class ZooKeeperStore final : public SocketStore {
 public:
  ZooKeeperStore(EventLoop& loop, Route route, CallTimeouts timeouts, Witness& witness, const Codec& codec,
                 SessionNumbers numbers);

  Task<bool> message(Name channel, Mono until) override;

 private:
  struct Session {
    SessionKey key;
    milliseconds timeout{};  // as the server's clock counts
  };

  int connect() override;
  [[nodiscard]] int introductions(const Command& first) const override;
  [[nodiscard]] bool carries(const Command& command) const override;
  std::string encode(const Command& command) override;
  Reply reply_to(const Command& command, const std::string& message) override;
  bool takes(const std::string& message) override;
  [[nodiscard]] Session session(std::int64_t number) const;

  const SessionNumbers numbers_;
  std::map<std::int64_t, Session> sessions_;  // by number
  std::optional<std::int64_t> of_;            // the session of the connection; opening: one that is being opened
  bool goes_on_ = false;                      // the handshake with a session that there is has not been answered
  std::int32_t requests_ = 0;
  News news_{loop_};
};

}  // namespace lockproof::real
