// SPDX-License-Identifier: Apache-2.0
// Links: what is on its way between one client and one server, as numbered values. Every state of a link is kept once;
// what happens to it is looked up, and worked out only the first time.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "sim/explore/containers/flat_map.hpp"
#include "sim/explore/state_space/isolated_host.hpp"

namespace lockproof::sim {

using Id = std::uint32_t;

/// Those that are not there yet.
void add_names(std::vector<TokenName>& into, const std::vector<TokenName>& more);

/// The letters that were ever posted, each once.
class CanonicalMessages {
 public:
  Id add(const CanonicalMessage& letter);
  [[nodiscard]] const CanonicalMessage& at(Id id) const { return messages_[id]; }
  /// Tokens that stand in it, each once, in the order of first sight.
  [[nodiscard]] const std::vector<TokenName>& names(Id id) const { return names_[id]; }
  /// Equal for letters that differ in nothing but what tokens are called.
  [[nodiscard]] Id shape(Id id) const { return shapes_of_[id]; }
  /// The same some time later: the stamps in it are older.
  Id aged(Id id, Duration by);

 private:
  Interner interner_, shapes_;
  std::vector<CanonicalMessage> messages_;
  std::vector<Id> shapes_of_;
  std::vector<std::vector<TokenName>> names_;
  std::vector<bool> stamped_;
};

struct Flight {
  Id letter = 0;
  int distance = 0;    // commands sent after it; of news -1
  Duration arrives{};  // from now
};

struct Lane {
  std::vector<Flight> flights;
  Duration last{};  // the one sent last arrives in this time: the next one not before
};

/// One connection. A client's current ones have slot 0, and 1 for news; closed ones others.
struct Wire {
  int slot = 0;
  bool closed = false, reset = false;  // by the client, by the server
  Lane requests, replies;
};

/// Closed, with nothing left in it.
[[nodiscard]] inline bool idle(const Wire& wire) {
  return wire.closed && wire.requests.flights.empty() && wire.replies.flights.empty();
}

struct Link {
  std::vector<Wire> wires;                         // oldest first
  Duration requests_severed{}, replies_severed{};  // from now
};

/// A head of a lane that arrives now.
struct Arrival {
  std::uint8_t wire = 0;
  bool reply = false;
  bool closed = false;  // the client has closed the wire
};

class Links {
 public:
  explicit Links(CanonicalMessages& letters) : messages_(letters) { add({{Wire{}}}); }

  static constexpr Id initial = 0;
  [[nodiscard]] const Link& at(Id id) const { return links_[id]; }
  [[nodiscard]] Duration due(Id id) const { return due_[id]; }
  /// Tokens that stand in its letters, each once, in the order of first sight.
  [[nodiscard]] const std::vector<TokenName>& names(Id id) const { return names_[id]; }
  [[nodiscard]] bool timeless(Id id) const { return timeless_[id]; }
  /// Whether a command, or the answer to one, is under way.
  [[nodiscard]] bool has_commands(Id id) const { return commands_[id]; }
  /// Whether a closed wire has nothing left in it.
  [[nodiscard]] bool has_idle_wires(Id id) const { return idle_[id]; }
  /// Whether the server has ended a wire.
  [[nodiscard]] bool has_resets(Id id) const { return resets_[id]; }
  /// Equal for links that differ in nothing but what tokens are called.
  [[nodiscard]] Id shape(Id id) const { return shapes_of_[id]; }
  /// What arrives when its time has come.
  [[nodiscard]] const std::vector<Arrival>& arrivals(Id id) const { return arrivals_[id]; }
  [[nodiscard]] std::size_t size() const { return links_.size(); }
  Id add(Link link);

 private:
  CanonicalMessages& messages_;
  Interner interner_, shapes_;
  std::deque<Link> links_;  // references stay good
  std::vector<Id> shapes_of_;
  std::vector<Duration> due_;
  std::vector<std::vector<TokenName>> names_;
  std::vector<bool> timeless_, commands_, idle_, resets_;
  std::deque<std::vector<Arrival>> arrivals_;
};

// What happens to a link, worked out anew.
[[nodiscard]] Link aged(Link link, Duration by, CanonicalMessages& letters);
/// Takes the head of a lane off.
[[nodiscard]] Link taken(Link link, Arrival arrival);
/// So many more commands are sent: all that is under way is further back than before.
[[nodiscard]] Link with_sent(Link link, int count);
/// Over a wire that the server has ended, it is lost.
[[nodiscard]] Link with_request(Link link, int slot, const Flight& flight, Duration way);
[[nodiscard]] Link with_reply(Link link, int slot, const Flight& flight, Duration way);
/// All wires of the client's are closed; the current one gets another slot. `reopened`: there is a new one.
[[nodiscard]] Link closed(Link link, bool reopened);
/// The server has ended all wires; `news` tells the client over its current one, if it does not know.
[[nodiscard]] Link with_reset(Link link, const Flight& news, Duration way);
[[nodiscard]] Link severed(Link link, bool replies, Duration lasts);
/// Without closed wires that nothing is left in, nor held at the server; those that stay get the first slots.
[[nodiscard]] Link tidied(Link link, const std::function<bool(int slot)>& held);

}  // namespace lockproof::sim
