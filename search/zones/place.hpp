// SPDX-License-Identifier: Apache-2.0
// Place: a state of a search by zones: where each client and the server are, and the zone of the instants that somebody
// still needs. An instant is a row of the zone; it lives as long as the place mentions it, and is numbered in the order
// in which the place does. So equal places have equal bytes, and only their zones differ.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "search/zones/payloads.hpp"
#include "search/zones/time/host_rate.hpp"
#include "search/zones/time/zone.hpp"

namespace lockproof::zones {

/// The row of an instant that nobody needs any more.
inline constexpr Row forgotten = UINT32_MAX;

/// Under way between a client and the server or the resource. Messages of one line, which is a direction of a
/// connection, arrive in the order in which they were sent.
struct Message {
  enum class Kind : std::uint8_t {
    request,
    reply,
    refusal,  // of a server that is down
    news,     // the server has ended the connection
  };

  Kind kind = Kind::request;
  bool of_resource = false;       // the other end is the resource
  std::uint8_t connection = 0;    // 0: the one that the client has open; else one that it has closed
  bool is_awaited = false;        // a call waits for it, or for the reply to it
  std::uint8_t waits = 0;         // at a server that stands still: its place there, from 1, or that of a reply
  bool loses_answer = false;      // the reply to it is lost
  bool is_announced = false;      // faults that the scenario places at its arrival have struck
  std::uint32_t late_answer = 0;  // … or is late: the number of that fault in the budget; 0: it is not
  int number = 0;                 // of a request: from 1, the first one that no other has which is under way there
  Id payload = 0;                 // the command or the reply
  Row arrives = forgotten;
  Id origin = 0;  // if its arrival may place a fault: of a request its round, of a reply the command that it answers
  // In a schedule alone:
  int tag = 0;  // which of its passages is that of the sending, from 1
  bool draws_no_answer = false;
  std::uint32_t late_by = 0;  // the number of the fault that makes the request late; 0: none does

  [[nodiscard]] bool is_request() const { return kind == Kind::request; }
  [[nodiscard]] bool is_of_line(const Message& other) const {
    return is_request() == other.is_request() && of_resource == other.of_resource && connection == other.connection;
  }
};

/// What faults have made of the connection that a client has open, until it opens another one.
struct OpenEnd {
  bool loses_requests = false, loses_replies = false;
  bool is_reset = false;  // the server has ended it
};

struct ClientPlace {
  Id state = 0;                     // of its automaton
  std::vector<Row> names{};         // the instants of that state
  std::vector<Message> messages{};  // each line in the order of sending
  OpenEnd server{}, resource{};
  bool has_sent = false;    // anything
  bool is_gone = false;     // its process or its worker
  bool is_held = false;     // it was paused before it did what it was about to do
  bool is_early = false;    // … and before faults could strike that the scenario places there
  bool is_overdue = false;  // its worker's time came during a pause, or comes now
  bool is_paused = false;
  bool has_lost = false;              // its call has ended without a reply during a pause
  Row wakes = forgotten;              // the end of its pause
  Row stopped = forgotten;            // when its monotonic clock began to stand still
  std::uint32_t suspension = 0;       // … by this fault
  Row sent = forgotten;               // its call has its time from then on; forgotten: nothing can take as long
  Row resends = forgotten;            // when the driver sends its command once more
  std::uint32_t resend = 0;           // by this fault of the budget
  std::uint32_t retry = 0;            // by this one it does so as the call's time is over
  bool was_inside = false;            // at its last event, if that may place a fault
  std::vector<std::uint32_t> laid{};  // what the scenario lays on the command that is about to leave, by number

  [[nodiscard]] OpenEnd& end(bool of_resource) { return of_resource ? resource : server; }
};

/// Nothing passes on these lines until then.
struct Cut {
  std::uint32_t lines = 0;  // a bit each, see line_bit
  Row until = forgotten;
  Id end = 0;  // what is shown then to monitors that count time
};

/// A monitor that counts time: its state, and the instants of that.
struct TimedMonitor {
  Id state = 0;
  std::vector<Row> names{};
};

[[nodiscard]] constexpr std::uint32_t line_bit(std::size_t client, bool of_resource, bool is_request) {
  return 1U << (client * 4 + (of_resource ? 2 : 0) + (is_request ? 1 : 0));
}

/// A command that a server is about to run, or has run. A fault may lose it there, or its answer.
struct CommandInHand {
  std::size_t client = 0;
  Message message{};
  bool is_lost = false;
};

/// What a schedule must know of an event besides its instant.
struct Passage {
  enum class Kind : std::uint8_t { sent, arrived, run, struck };
  Kind kind = Kind::sent;
  std::size_t client = 0;
  Message message{};
  bool is_drawn = true;  // the simulator asks for the latency
  Id state = 0;          // the client's
};

struct Place {
  std::vector<ClientPlace> clients{};
  Id server = 0;               // its state
  std::vector<Row> leases{};   // the instants of that state
  Id resource = 0;             // its state
  std::vector<Id> monitors{};  // the state of each
  std::vector<TimedMonitor> timed_monitors{};
  /// While an event is worked out, the lists of what has happened that are still to be shown to those.
  std::vector<Id> unseen{};
  /// … and the command that an event of a server is about.
  std::optional<CommandInHand> in_hand{};
  bool server_is_paused = false;
  Row server_wakes = forgotten;  // the end of its pause
  Row server_stood = forgotten;  // it counts no seconds since then: it stands still, or has not gone on counting
  bool server_is_down = false;
  Row server_is_up = forgotten;  // when it is again
  std::vector<Cut> cuts{};
  std::vector<int> struck{};     // how often each entry of the budget has
  std::vector<Row> to_strike{};  // when each fault that the scenario places itself does; forgotten: not by time
  std::vector<std::vector<int>> triggers{};  // of each host, see Triggers::seen; none: no event places a fault
  std::vector<std::uint32_t> rates{};        // of each host's clocks, the servers' last, by its fault's number; 0: none
  /// None in a search. In a schedule: the beginning, then that of each event; before it, if a lease began in the event,
  /// the instant that the server counts it from.
  std::vector<Row> kept{};
  std::vector<Passage> passages{};  // as `kept`
  Zone zone{};

  [[nodiscard]] int faults() const;
  /// Whether something must happen before time passes.
  [[nodiscard]] bool is_urgent() const;
  /// Whether a cut keeps it from arriving.
  [[nodiscard]] bool is_cut(std::size_t client, const Message& message) const;
  /// The request that has waited for longest at the server: its client, and which message it is.
  [[nodiscard]] std::optional<std::pair<std::size_t, std::size_t>> first_waiting() const;
  /// Whether one of the client waits there, of the same connection.
  [[nodiscard]] bool waits_before(std::size_t client, const Message& message) const;
  /// A request comes to wait there, behind the last one of its connection, or else, if all connections are one queue,
  /// behind all.
  void put_behind(std::size_t client, std::size_t message, bool is_one_queue);
  /// … or before all, or before those of its connection.
  void put_first(std::size_t client, Message message, bool is_one_queue);
  /// Whether nothing that was sent before it on its line is still under way.
  [[nodiscard]] static bool is_next(const ClientPlace& client, std::size_t message);

  /// Numbers the rows that are mentioned, drops all others from the zone, and returns all but the zone as bytes.
  [[nodiscard]] std::string make_canonical();
  /// REQUIRES: `bytes` are those of a place.
  static Place read(const std::string& bytes, const Zone& zone);
};

/// The cases of an instant that may have passed while something stood still: it is later; or it has come, and so
/// happens before time passes. `row_of`: a reference to its row in a place, which it lies `after`.
template <class RowOf>
[[nodiscard]] std::vector<Place> split_at_now(std::vector<Place> places, const RowOf& row_of,
                                              HostRate::Reach after = {}) {
  std::vector<Place> all;
  for (Place& place : places) {
    const Row row = row_of(place);
    if (row == forgotten) {
      all.push_back(std::move(place));
      continue;
    }
    Place later = place;
    if (later.zone.require_before({}, {row, after.latest})) all.push_back(std::move(later));
    if (!place.zone.require_not_after({row, after.earliest}, {})) continue;
    row_of(place) = place.zone.add(now_row, Duration(-after.latest), Duration(-after.latest));
    all.push_back(std::move(place));
  }
  return all;
}

}  // namespace lockproof::zones
