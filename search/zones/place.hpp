// SPDX-License-Identifier: Apache-2.0
// Place: a state of a search by zones: where each client and the server are, and the zone of the instants that somebody
// still needs. An instant is a row of the zone; it lives as long as the place mentions it, and is numbered in the order
// in which the place does. So equal places have equal bytes, and only their zones differ.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "search/zones/payloads.hpp"
#include "search/zones/zone.hpp"

namespace lockproof::zones {

/// The row of an instant that nobody needs any more.
inline constexpr Row forgotten = UINT32_MAX;

struct ClientPlace {
  enum class Message : std::uint8_t { none, request, reply };

  Id state = 0;                     // of its automaton
  std::vector<Row> names{};         // the instants of that state
  Message message = Message::none;  // of its call, under way
  bool of_resource = false;         // the other end is the resource
  Id payload = 0;                   // the command or the reply
  Row arrives = forgotten;          // the message
  bool is_held = false;             // it was paused before it did what it was about to do
  bool is_overdue = false;          // its worker's time came during a pause, or comes now
  bool is_paused = false;
  Row wakes = forgotten;  // the end of its pause
};

struct Place {
  std::vector<ClientPlace> clients{};
  Id server = 0;               // its state
  std::vector<Row> leases{};   // the instants of that state
  Id resource = 0;             // its state
  std::vector<Id> monitors{};  // the state of each
  std::vector<int> struck{};   // how often each entry of the budget has
  /// None in a search. In a schedule: the beginning, then that of each event; before it, if a lease began in the event,
  /// the instant that the server counts it from.
  std::vector<Row> kept{};
  Zone zone{};

  [[nodiscard]] int faults() const;
  /// Whether something must happen before time passes.
  [[nodiscard]] bool is_urgent() const;

  /// Numbers the rows that are mentioned, drops all others from the zone, and returns all but the zone as bytes.
  [[nodiscard]] std::string make_canonical();
  /// REQUIRES: `bytes` are those of a place.
  static Place read(const std::string& bytes, const Zone& zone);
};

}  // namespace lockproof::zones
