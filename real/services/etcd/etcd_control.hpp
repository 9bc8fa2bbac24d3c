// SPDX-License-Identifier: Apache-2.0
// EtcdControl: our own connection to an etcd, which waits for each answer. It is for tests and for what an operator
// asks; the clients of a run use their own stores.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "algorithms/port/command.hpp"
#include "algorithms/port/pinned_object.hpp"
#include "real/os/descriptor.hpp"
#include "real/services/etcd/wire.hpp"

namespace lockproof::real {

class EtcdControl : public PinnedObject {
 public:
  explicit EtcdControl(int port);

  /// Nothing: no answer came within some seconds, or the server has ended the connection.
  [[nodiscard]] std::optional<Reply> ask(const Command& command);
  /// The whole answer to a request of these bytes.
  [[nodiscard]] std::optional<std::string> exchange(std::string_view request);
  /// Whether a watch, which was asked for last, has told of a deletion since this was called last.
  [[nodiscard]] bool told_of_deletion();

 private:
  EtcdCodec codec_;
  Descriptor socket_;
  std::string unread_;
};

/// Whether the etcd at this port answers, has a leader, and has this name.
[[nodiscard]] bool is_etcd_up(int port, const std::string& name);

}  // namespace lockproof::real
