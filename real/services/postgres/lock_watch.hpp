// SPDX-License-Identifier: Apache-2.0
// What a program has locked on a PostgreSQL, looked at between its statements: exclusive advisory locks, rows of the
// table `leases`, which lockproof makes on each server, and rows of any table that a transaction has locked with SELECT
// … FOR UPDATE. Whoever locks otherwise, in a table of his own, is not seen.
#pragma once

#include <functional>
#include <memory>

#include "real/services/key_watch.hpp"

namespace lockproof::real {

/// One connection of our own to the server, as its superuser. `port`: where the server is now. Keys are called
/// "advisory 42", "advisory 1,2", "row orders of leases" and "row 17 of jobs", by the row's first column.
[[nodiscard]] std::unique_ptr<KeyWatch> watch_locks(std::function<int()> port);

}  // namespace lockproof::real
