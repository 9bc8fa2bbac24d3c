// SPDX-License-Identifier: Apache-2.0
// Told events: which events of a history people are told, and in which words. Polling is folded: of a row of attempts
// that all found the lock busy, the first and the last are told. Tables and diagrams are made of them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/history/history.hpp"

namespace lockproof::harness {

struct ToldEvent {
  std::size_t position;  // in the history
  bool folds;            // it stands for a row of busy attempts that begins there
  std::string text;      // printable
};

[[nodiscard]] std::vector<ToldEvent> told_events(const History& history);

/// Whether the host is not inside any more after this event.
[[nodiscard]] bool ends_work(const Event& event);

/// A command or a reply, with long values cut. A script has its name instead of its text.
[[nodiscard]] std::string text(const Command& command);
[[nodiscard]] std::string text(const Reply& reply);

}  // namespace lockproof::harness
