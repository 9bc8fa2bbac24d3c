// SPDX-License-Identifier: Apache-2.0
// Links: what is under way between one client and one server, as numbered values. Every state of a link is kept once;
// each change of it is looked up, and computed only the first time.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "search/automata/isolated_host.hpp"
#include "search/containers/flat_map.hpp"
#include "search/containers/interner.hpp"
#include "sim/world/undo.hpp"

namespace lockproof::sim {

using Id = std::uint32_t;

/// Adds the tokens that are not in the list yet.
void add_names(std::vector<TokenName>& into, const std::vector<TokenName>& more);

/// The canonical messages that were ever posted, each once.
class CanonicalMessages {
 public:
  Id add(const CanonicalMessage& letter);
  [[nodiscard]] const CanonicalMessage& at(Id id) const { return messages_[id]; }
  /// The tokens in a message, each once, in the order of first sight.
  [[nodiscard]] const std::vector<TokenName>& names(Id id) const { return names_[id]; }
  /// Equal for messages that differ only in the names of tokens.
  [[nodiscard]] Id shape(Id id) const { return shapes_of_[id]; }
  /// A request that may undo another one of its instant, or the end of a connection.
  [[nodiscard]] bool may_undo(Id id) const { return messages_[id].hang_up || sim::may_undo(messages_[id].command); }
  /// The same message some time later: the stamps in it are older.
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
  int distance = 0;    // commands sent after it; -1 for news
  Duration arrives{};  // counted from now
};

struct Lane {
  std::vector<Flight> flights;
  Duration last{};  // the time until the latest one arrives: the next one does not arrive before
};

/// One connection.
struct Wire {
  int slot = 0;
  bool closed = false, reset = false;  // by the client, by the server
  Lane requests, replies;
};

/// Whether it is closed and empty.
[[nodiscard]] inline bool idle(const Wire& wire) {
  return wire.closed && wire.requests.flights.empty() && wire.replies.flights.empty();
}

struct Link {
  std::vector<Wire> wires;                         // oldest first
  Duration requests_severed{}, replies_severed{};  // counted from now
};

/// The head of a lane, which arrives now.
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
  /// The tokens in the messages under way, each once, in the order of first sight.
  [[nodiscard]] const std::vector<TokenName>& names(Id id) const { return names_[id]; }
  [[nodiscard]] bool timeless(Id id) const { return timeless_[id]; }
  /// Whether a command, or the reply to one, is under way.
  [[nodiscard]] bool has_commands(Id id) const { return commands_[id]; }
  /// Whether a closed wire is empty.
  [[nodiscard]] bool has_idle_wires(Id id) const { return idle_[id]; }
  /// Whether the server has closed a wire.
  [[nodiscard]] bool has_resets(Id id) const { return resets_[id]; }
  /// Whether a request among the arrivals may undo another arrival of this instant.
  [[nodiscard]] bool may_undo(Id id) const { return undoes_[id]; }
  /// Equal for links that differ only in the names of tokens.
  [[nodiscard]] Id shape(Id id) const { return shapes_of_[id]; }
  /// The messages that are due to arrive.
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
  std::vector<bool> timeless_, commands_, idle_, resets_, undoes_;
  std::deque<std::vector<Arrival>> arrivals_;
};

// The changes of a link, as computed when they are not known yet.
[[nodiscard]] Link aged(Link link, Duration by, CanonicalMessages& letters);
/// Removes the head of a lane.
[[nodiscard]] Link taken(Link link, Arrival arrival);
/// The client has sent `count` more commands; the distance of every message under way grows by that.
[[nodiscard]] Link with_sent(Link link, int count);
/// Adds a request; it is lost if the server has closed the wire.
[[nodiscard]] Link with_request(Link link, int slot, const Flight& flight, Duration way);
/// The client has made a further connection.
[[nodiscard]] Link with_opened(Link link, int slot);
[[nodiscard]] Link with_reply(Link link, int slot, const Flight& flight, Duration way);
/// The client closes some of its wires, which get other slots.
[[nodiscard]] Link closed(Link link, const ClosedConnections& how, const CanonicalMessages& messages);
/// The server has closed a wire, or all; `news` tells the client so over its open wires, if it does not know, or over
/// the first one alone.
[[nodiscard]] Link with_reset(Link link, int slot, const Flight& news, Duration way, bool first_alone);
[[nodiscard]] Link severed(Link link, bool replies, Duration lasts);
/// Removes closed wires that are empty and not held at the server; the remaining ones get the first slots.
[[nodiscard]] Link tidied(Link link, const std::function<bool(int slot)>& held);

}  // namespace lockproof::sim
