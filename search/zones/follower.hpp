// SPDX-License-Identifier: Apache-2.0
// Follower: lets a world do what a trail does: its events in their order, with the latencies that it has.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "search/zones/successors.hpp"
#include "sim/kernel/chooser.hpp"

namespace lockproof::zones {

class Follower final : public sim::Chooser {
 public:
  struct ExpectedEvent {
    Event::Kind kind;
    std::string client;
    std::string peer{};  // of a message
    std::string verb{};  // of a command: several may be due, over several connections
    int fault = 0;       // its number, of one that strikes or ends
  };
  std::vector<ExpectedEvent> events{};
  /// By who sends and who receives: how long each message takes; those behind the last one take as long as possible.
  std::map<std::pair<std::string, std::string>, std::vector<Duration>> latencies{};

  std::size_t first_of(std::size_t count, const sim::NameOf& name) override;
  Duration duration(const harness::Window& window, Duration grid, const sim::NameOf& name) override;
};

}  // namespace lockproof::zones
