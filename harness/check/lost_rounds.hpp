// SPDX-License-Identifier: Apache-2.0
// LostRounds: the rounds in which a client wanted the lock and never got it, though nothing ended the client meanwhile.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "harness/history/history.hpp"

namespace lockproof::check {

struct LostRound {
  harness::HostIndex client = harness::no_host;
  int number = 0;           // from 1
  bool while_held = false;  // another client had the lock when this one was refused last
};

struct Rounds {
  std::vector<LostRound> lost;  // in the order in which they ended
  std::set<int> given;          // the numbers of rounds in which some client got the lock
  bool client_ended = false;    // a crash, the death of a worker, or that of a program
};

[[nodiscard]] Rounds rounds_of(const harness::History& history);

/// "client-1 round 2, client-2 round 2"; of many the first ones. `names`: of the clients, by their index.
[[nodiscard]] std::string rounds_text(const std::vector<LostRound>& rounds, const std::vector<std::string>& names);

}  // namespace lockproof::check
