// SPDX-License-Identifier: Apache-2.0
// LockSnapshot: who has locked what on a PostgreSQL at one instant, as one statement says it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "algorithms/port/instant.hpp"

namespace lockproof::real {

/// A row of the table `leases`.
struct Lease {
  std::string owner, fence;
  std::string transaction;             // which wrote it
  std::optional<milliseconds> left{};  // of its time, by the server's wall clock; negative: it is over
  bool endless = false;
  [[nodiscard]] bool valid() const { return endless || (left && *left >= milliseconds(0)); }
};

struct LockSnapshot {
  struct Lock {
    int backend = 0;       // the process of the server that has it
    int port = 0;          // the server's side of its connection
    bool is_meant = true;  // false: of a row that was changed, which locks it by the way
  };
  std::map<std::string, Lock> locks;    // advisory ones, and of rows
  std::map<std::string, Lease> leases;  // by "row orders of leases"
  std::set<int> backends;
  bool standby = false;  // it only repeats what its primary has committed
  std::map<std::string, int> writers;  // transactions that have written and are open, and their connections' ports
};

/// Makes what the statement below calls to see rows that are locked. It needs pgrowlocks, which is one of PostgreSQL's
/// own extensions.
[[nodiscard]] const char* locked_rows_definition();
/// Whether that is there.
[[nodiscard]] const char* has_locked_rows();
/// Its answer is one text, of which the snapshot is made.
[[nodiscard]] std::string lock_snapshot_statement(bool with_rows);
[[nodiscard]] LockSnapshot lock_snapshot_from(const std::string& text);

}  // namespace lockproof::real
