// SPDX-License-Identifier: Apache-2.0
// ProxyLeg: one direction of a connection through the proxy: bytes that are not a whole message yet, whole messages
// that wait, and bytes to be written. It only applies the faults that it is given.
#pragma once

#include <climits>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/port/command.hpp"
#include "algorithms/port/pinned_object.hpp"
#include "harness/history/event.hpp"

namespace lockproof::real {

class ProxyLeg : public PinnedObject {
 public:
  struct HeldMessage {
    std::string bytes;
    int number = 0;  // on this connection, from 1; 0: not requested
    std::int64_t not_before_ns = 0;
    Command command;            // the command of the request, or the one that the reply answers
    bool announced = false;     // its event has happened
    std::uint64_t arrival = 0;  // position among all messages at the proxy, from 1
  };

  ProxyLeg(harness::HostIndex from_host, harness::HostIndex to_host) : from(from_host), to(to_host) {}

  const harness::HostIndex from, to;
  std::string unread;  // not a whole message yet
  std::deque<HeldMessage> held;
  std::string leaving;
  int count = 0;       // messages that have arrived
  bool ended = false;  // nothing more will be read
  bool shut = false;   // the end was passed on
  bool kept = false;   // it is not to be passed on

  // Faults: from a message on, all are swallowed, since the connection has gone silent or since nobody has sent them; a
  // message, and all behind it, is delayed.
  int dead_from = INT_MAX, unsent_from = INT_MAX;
  std::vector<std::pair<int, std::int64_t>> late;  // number, nanoseconds

  /// Whether its end is not to arrive: it is kept, or it has gone silent.
  [[nodiscard]] bool hides_its_end() const { return kept || dead_from != INT_MAX; }
  [[nodiscard]] bool loses(int number) const { return number >= dead_from || number >= unsent_from; }
  [[nodiscard]] std::int64_t lateness(int number) const {
    std::int64_t ns = 0;
    for (const auto& [which, by] : late) ns += which == number ? by : 0;
    return ns;
  }
  [[nodiscard]] bool drained() const { return ended && held.empty() && leaving.empty(); }
};

}  // namespace lockproof::real
