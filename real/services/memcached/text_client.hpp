// SPDX-License-Identifier: Apache-2.0
// TextClient: our own connection to a memcached, which waits for each answer. For operators' commands and for tests;
// the clients of a run have stores of their own.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "algorithms/port/command.hpp"
#include "algorithms/port/pinned.hpp"
#include "real/os/descriptor.hpp"

namespace lockproof::real {

class TextClient : public Pinned {
 public:
  /// False: nobody answers there, or another process than this one has taken the port.
  [[nodiscard]] bool connect(int port, pid_t pid);
  void close();

  /// Nothing: it does not answer.
  [[nodiscard]] std::optional<Reply> ask(const Command& command);
  /// Several, which the server reads at once and runs with no other connection's in between; at most 20.
  [[nodiscard]] std::optional<std::vector<Reply>> ask_together(const std::vector<Command>& commands);
  /// What `stats` says of this name; nothing: it does not answer, or has none.
  [[nodiscard]] std::optional<std::int64_t> statistic(const std::string& name);

 private:
  [[nodiscard]] bool read();

  Descriptor socket_;
  std::string unread_;
};

}  // namespace lockproof::real
