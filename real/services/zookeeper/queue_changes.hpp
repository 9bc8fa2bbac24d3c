// SPDX-License-Identifier: Apache-2.0
// What a server did to a lock, from two pieces of evidence: its transaction log has every change in order, and also
// those for which nobody asked; its answers, as the proxy saw them, say which commands asked for the others, and behind
// which change a command ran that only looked.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "real/record/execution.hpp"
#include "real/services/zookeeper/transaction_log.hpp"

namespace lockproof::real {

/// An answer of the server's, to a command or to the handshake with which a connection goes on with a session.
struct ServerAnswer {
  Duration at{};                 // when it was seen
  int port = 0;                  // of the client's end
  std::string verb{};            // empty: a handshake
  std::int64_t session = 0;      // of the connection
  std::int64_t transaction = 0;  // the last one that the server had run by then; of CONNECT and a handshake: none
  std::size_t server = 0;        // of an ensemble: which one answered
};

/// What one server of an ensemble did.
struct MemberExecution {
  std::size_t server;
  Execution execution;
};

/// In the order of the log. `answered`: in the order in which they were seen. `leads`: the server that led when this
/// transaction was made.
[[nodiscard]] std::vector<MemberExecution> ran_by_ensemble(
    const std::vector<ServerAnswer>& answered, const std::vector<Transaction>& transactions, const std::string& lock,
    const std::function<Duration(std::int64_t wall_ms)>& when,
    const std::function<std::size_t(std::int64_t transaction)>& leads);

/// Of a server that stands alone, in its order. `lock`: the node whose children are a queue. `when`: the scenario time
/// at which the server's wall clock showed so many milliseconds.
[[nodiscard]] std::vector<Execution> executions_of(const std::vector<ServerAnswer>& answered,
                                                   const std::vector<Transaction>& transactions,
                                                   const std::string& lock,
                                                   const std::function<Duration(std::int64_t wall_ms)>& when);

}  // namespace lockproof::real
