// SPDX-License-Identifier: Apache-2.0
// PqControl: our own connection to a PostgreSQL, which waits for each answer. It is for tests and for what an operator
// asks; the clients of a run use their own stores.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "algorithms/port/command.hpp"
#include "algorithms/port/pinned_object.hpp"
#include "real/services/postgres/pq_connection.hpp"

namespace lockproof::real {

class PqControl : public PinnedObject {
 public:
  /// False: the port does not answer, or not as a server that takes statements.
  [[nodiscard]] bool connect(int port);
  void close();

  /// Nothing: the server does not answer within some seconds.
  [[nodiscard]] std::optional<Reply> ask(const Command& command);
  [[nodiscard]] std::optional<Reply> ask(const std::string& text, const std::vector<std::string>& parameters = {});
  /// Sends a statement without waiting, and looks whether its answer has come.
  [[nodiscard]] bool send(const Command& command);
  [[nodiscard]] std::optional<Reply> answer(int at_most_ms);

 private:
  [[nodiscard]] bool wait(bool to_write, int at_most_ms) const;

  PqConnection connection_;
  std::optional<Reply> begun_;
};

}  // namespace lockproof::real
