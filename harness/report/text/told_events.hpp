// SPDX-License-Identifier: Apache-2.0
// Told events: which events of a history people are told, and in which words. Polling is folded: of a row of attempts
// that all found the lock busy, or all failed alike, the first and the last are told. Tables and diagrams are made of
// them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/history/history.hpp"

namespace lockproof::harness {

struct ToldEvent {
  std::size_t position;  // in the history
  bool folds;            // it stands for a row of attempts that begins there
  std::string text;      // printable
  std::string effects;   // on keys, printable
};

/// Columns: names of 36 characters fit, and short statements in SQL.
inline constexpr std::size_t longest_value = 100;

[[nodiscard]] std::vector<ToldEvent> told_events(const History& history, std::size_t most = longest_value);

/// Whether the host is not inside any more after this event.
[[nodiscard]] bool ends_work(const Event& event);

/// A command or a reply; a value of more than `most` columns is cut. A script has its name instead of its text.
[[nodiscard]] std::string text(const Command& command, std::size_t most = longest_value);
[[nodiscard]] std::string text(const Reply& reply, std::size_t most = longest_value);

}  // namespace lockproof::harness
