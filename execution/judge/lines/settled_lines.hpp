// SPDX-License-Identifier: Apache-2.0
// SettledLines: of which lock the workers' lines are. What is certain of one lock is so only of lines that are its.
#pragma once

#include <string>
#include <vector>

#include "execution/judge/lines/line_kind.hpp"

namespace lockproof::execution {

/// Lines keep the names of their locks where the log names them. Where lines may be of several locks and do not say of
/// which, each log gets a doubt. With patterns.enters or patterns.held the reader has named the lines, and lines that
/// name no lock are of one. `key`: not empty: only lines of locks whose names fit it stay.
/// Throws InputError: there are none.
void settle_locks(std::vector<WorkerLog>& workers, const LinePatterns& patterns, const std::string& key);

/// Why nothing that any of the lines says is certain.
void add_doubt(std::vector<WorkerLog>& workers, const std::string& doubt);

/// The same beside a server's log, of which `key` is judged and `others` are keys of other locks: lines of other locks
/// are left out, and those that stay have no name.
void settle_key(std::vector<WorkerLog>& workers, const LinePatterns& patterns, const std::string& key,
                const std::vector<std::string>& others);

}  // namespace lockproof::execution
