// SPDX-License-Identifier: Apache-2.0
// What a server did to a lock, from two pieces of evidence: a watch on all keys has every change in order, and also
// those for which nobody asked; the server's answers, as the proxy saw them, say which commands asked for the others,
// and behind which change a command ran that only looked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/port/instant.hpp"
#include "real/record/execution.hpp"
#include "real/services/etcd/wire.hpp"

namespace lockproof::real {

/// An answer of the server's to a command.
struct EtcdAnswer {
  Duration at{};  // when it was seen
  int port = 0;   // of the client's end
  std::string verb{};
  std::int64_t revision = 0;  // the server's when it answered
  bool changes = false;       // it says that the command has changed a key
  std::int64_t lease = 0;     // of LEASE-GRANT: the new one's id
};
[[nodiscard]] EtcdAnswer answer_of(const Command& command, std::string_view bytes);

/// A change, as the watch told it.
struct SeenChange {
  Duration at{};  // when it was told
  KeyChange change;
};

/// In the server's order. `lock`: the name of the lock's own key, or of that under which others stand.
[[nodiscard]] std::vector<Execution> executions_of(const std::vector<EtcdAnswer>& answers,
                                                   const std::vector<SeenChange>& changes, const std::string& lock);

}  // namespace lockproof::real
