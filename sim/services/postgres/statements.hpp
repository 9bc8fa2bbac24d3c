// SPDX-License-Identifier: Apache-2.0
// The statements that the model knows, by the names of their files in algorithms/postgres/statements. There is no SQL
// here: each is a function, and conformance compares it with the real server.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "algorithms/port/command.hpp"
#include "harness/history/event.hpp"
#include "sim/services/postgres/database.hpp"

namespace lockproof::sim::postgres {

/// What a statement runs on.
struct Scene {
  Database& database;
  int connection;
  std::int64_t wall_ms;
  std::optional<std::int64_t> began_ms;   // if it has waited for another transaction: when it had begun
  bool read_only;                         // a standby: it changes no rows
  std::vector<harness::Effect>& effects;  // of what is committed
  std::vector<Command>& propagated;       // what is committed, for standbys
  [[nodiscard]] Session& session() const { return database.session(connection); }
};

/// The reply; nothing: it waits for another session's transaction, has done nothing, and is to be run again when that
/// has ended.
[[nodiscard]] std::optional<Reply> run(const Scene& scene, const Command& command);

/// The name of the file whose text it is; empty: of none.
[[nodiscard]] std::string_view name_of(const Command& command);

/// Executed::lacks of a statement: that it is none of them, or has another number of parameters. Empty: it is one.
[[nodiscard]] std::string describe_lack(const Command& command);

/// Ends a transaction whose commit has waited for a standby.
[[nodiscard]] Reply finish_commit(const Scene& scene);
/// A standby applies what its primary has committed.
void apply_commit(const Scene& scene, const Command& committed);

}  // namespace lockproof::sim::postgres
