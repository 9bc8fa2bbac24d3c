// SPDX-License-Identifier: Apache-2.0
// ZooKeeperControl: our own connection to a ZooKeeper, which waits for each answer. It is for tests and for what an
// operator asks; the clients of a run use their own stores.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/port/command.hpp"
#include "algorithms/port/pinned_object.hpp"
#include "real/os/descriptor.hpp"
#include "real/services/zookeeper/wire.hpp"

namespace lockproof::real {

/// The server's answer to an operator's word ("srvr", "conf"); empty: it does not answer.
[[nodiscard]] std::string answer_to_word(int port, const std::string& word);

class ZooKeeperControl : public PinnedObject {
 public:
  /// Connects, and opens a session or goes on with this one. Nothing: the port does not answer, or not as a ZooKeeper.
  /// Id 0: the session has ended.
  [[nodiscard]] std::optional<Welcome> connect(int port, milliseconds timeout, const SessionKey& session = {});
  void close();

  /// Which session a command names makes no difference. Nothing: no answer came within some seconds, or the server has
  /// ended the connection.
  [[nodiscard]] std::optional<Reply> ask(const Command& command);
  /// Makes a node that outlives its session. False: it was not made, and is not there either.
  [[nodiscard]] bool make_lasting(const std::string& name);
  /// Whether the server has ended the connection, or it was never made.
  [[nodiscard]] bool ended();
  /// The nodes that watches have told of so far, which are forgotten.
  [[nodiscard]] std::vector<std::string> told();

 private:
  [[nodiscard]] bool send(const std::string& bytes);
  [[nodiscard]] std::optional<std::string> receive();
  [[nodiscard]] bool read(bool waits);
  void take_told();

  Descriptor socket_;
  std::string unread_;
  std::vector<std::string> told_;
  std::int32_t requests_ = 0;
  bool ended_ = true;
};

}  // namespace lockproof::real
