// SPDX-License-Identifier: Apache-2.0
// TextClient: our own connection to a memcached, which waits for each answer. It is for operators' commands and for
// tests; the clients of a run use their own stores.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "algorithms/port/command.hpp"
#include "algorithms/port/pinned_object.hpp"
#include "real/os/descriptor.hpp"

namespace lockproof::real {

class TextClient : public PinnedObject {
 public:
  /// False: the port does not answer, or belongs to another process than `pid`.
  [[nodiscard]] bool connect(int port, pid_t pid);
  void close();

  /// Nothing: the server does not answer.
  [[nodiscard]] std::optional<Reply> ask(const Command& command);
  /// Sends at most 20 commands, which the server reads at once and runs without commands of other connections in
  /// between.
  [[nodiscard]] std::optional<std::vector<Reply>> ask_together(const std::vector<Command>& commands);
  /// The value of this name in `stats`; nothing: the server does not answer, or has no such value.
  [[nodiscard]] std::optional<std::int64_t> statistic(const std::string& name);

 private:
  [[nodiscard]] bool read();

  Descriptor socket_;
  std::string unread_;
};

}  // namespace lockproof::real
