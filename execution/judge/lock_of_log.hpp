// SPDX-License-Identifier: Apache-2.0
// LockOfLog: which key of a server's log is the lock, and who held it when, as far as the server can tell.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "execution/judge/replayed_log.hpp"

namespace lockproof::execution {

/// A connection made the key, and may have been inside from then on. Times are the server's.
struct Hold {
  int connection = 0;
  std::size_t taken = 0;                    // the execution that made the key
  std::int64_t from_us = 0;                 // its time
  std::int64_t lease_us = 0;                // 0: it has no end
  std::int64_t lease_end_us = INT64_MAX;    // with its renewals
  std::vector<std::size_t> renewals{};      // executions
  std::optional<std::size_t> released{};    // the execution by which it removed its own key
  std::optional<std::size_t> removed_by{};  // … by which another connection did
  std::int64_t until_us = INT64_MAX;        // its connection asks for the lock anew, or the log ends
  bool sure = true;                         // nothing but the log decides that it got the lock

  /// After this it is not inside any more, if it keeps to the lock's rules.
  [[nodiscard]] std::int64_t last_us(const ReplayedLog& log) const {
    return released ? log.executions[*released].at_us : until_us;
  }
};

struct LockOfLog {
  std::string key;
  int database = 0;
  std::vector<std::size_t> executions;  // those about the key
  std::set<std::string> asking_forms;   // of commands by which the key was made
  std::vector<Hold> holds;              // in order
  std::vector<std::string> others{};    // keys of other locks: made by commands that can be refused, and without it

  [[nodiscard]] bool asks(const ServerExecution& execution) const {
    return asking_forms.contains(form_of(execution.words));
  }
};

/// `pattern`: names the key, * stands for any text; empty: it is learned. Throws InputError: no key is the lock, or
/// several may be.
[[nodiscard]] LockOfLog lock_of(const ReplayedLog& log, const std::string& pattern, const std::string& path);

}  // namespace lockproof::execution
