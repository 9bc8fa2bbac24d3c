// SPDX-License-Identifier: Apache-2.0
// The table of faults: one row for each kind, with all its words. Parser, writer, budgets, texts, histories (and so the
// pictures) and `lockproof new` read it. What an action does stands in one place for each world: sim/world/faults.cpp
// and real/run/fault_driver.cpp.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "harness/scenario/fault.hpp"

namespace lockproof::harness {

/// The keys that a kind of fault has besides its place; file/parse_fault.cpp reads each.
enum class Setting : std::uint8_t {
  none,
  lasts,       // `for`
  may_last,    // `for`, or to the end of the run
  by,          // `by`: later by this
  jump,        // `by`, forward or back
  lose,        // `lose`: request or reply
  late,        // `late`: request or reply
  cause,       // `lose`: reply or nothing, by which a call times out
  connection,  // `connection`: new or same
  session,     // `session`: new, or a client's
  end,         // `peer`: the server at the connection's other end
  peer,        // `peer`: another host; without it all others
  direction,   // `direction`
  rate,        // `rate`
  promoted,    // `to`: a replica
  old,         // `old`: dead or serves
  notified,    // `notified`: clients
  mode,        // `mode`: write or all
};

/// Where in a run a search lets a fault strike: bits.
enum Place : std::uint8_t {
  client_before = 1,  // it is about to send a command, or to do what every client does
  client_after = 2,   // it has the answer
  client_inside = 4,  // it enters or leaves
  server_before = 8,  // a command has arrived
  server_after = 16,  // it has run
  any_of_client = 7,
  any_of_server = 24,
  anywhere = 31,
};

struct FaultRow {
  /// What both worlds do; kinds of one action differ in their settings and in other fields of their rows.
  enum class Action : std::uint8_t {
    stand_still,
    end_process,
    end_worker,
    strike_message,  // lays something on a message: silence, delay, another copy
    break_connection,
    switch_connection,
    cut_off,  // messages wait
    jump_clock,
    set_rate,
    take_down,
    promote,
    change_store,  // a command to the server, or what it does to its keys by itself
  };
  enum class Targets : std::uint8_t { hosts, clients, servers, replicas };
  /// The clocks of its host that it changes.
  enum class Clocks : std::uint8_t { none, wall, monotonic, all };
  enum class End : std::uint8_t { none, always, if_it_lasts };  // by an event of its own
  /// What a server loses of the locks that it has granted, whatever the lock does.
  enum class StateLoss : std::uint8_t { nothing, keys, what_is_not_kept, leases };
  /// Templates of fill(). {time} is how long it lasts, or by how much a message is late.
  struct Words {
    std::string_view sentence;            // after the host's name: {part}, {connection}, {session}, {peer}, {by}, …
    std::string_view trace;               // after the host's name, in a list of events
    std::string_view mark;                // beside a lane in a picture, in one line or two
    std::string_view meanwhile = {};      // what the host is while it lasts; empty: no more than its mark says
    std::string_view assumption;          // what a lock assumes that this fault breaks, a clause
    std::string_view without_lease = {};  // the same where it strikes a client that has no lock by a lease
  };
  /// A line of `lockproof new`, where {server}, {replica} and {command} (the lock's last one) stand for what it has.
  struct Example {
    std::string_view toml, comment;
  };

  FaultKind kind;
  std::string_view name;
  std::string_view text;   // what happens, for the reference; keys in backquotes
  std::string_view brief;  // the same in a few words
  Action action;
  Targets targets;
  unsigned places;
  std::array<Setting, 3> settings{};
  End ends = End::none;
  bool of_message = false;        // it lies on one command, or on its answer
  bool of_process = false;        // a server that is down has none to be struck
  bool of_network = false;        // real runs need the proxy for it
  bool ends_connections = false;  // all of the server's, and what is on its way there is lost
  bool names_peer = false;        // histories have its `peer` or `to`
  bool reaches_others = false;    // other hosts do something at once because of it
  Clocks clocks = Clocks::none;
  StateLoss loses = StateLoss::nothing;  // see gives_up_locks()
  std::string_view harm = {};  // the harm that it would do to a server that lockproof did not start; empty: none
  std::array<Example, 4> example{};
  Words words{};
};

/// In the order of FaultKind.
[[nodiscard]] std::span<const FaultRow> fault_table();
[[nodiscard]] const FaultRow& row_of(FaultKind kind);
/// Null: a word of histories that is no fault of a scenario.
[[nodiscard]] const FaultRow* row_named(std::string_view name);
/// By the fault's name, as histories have it: whether its host's monotonic clock stands while it lasts.
[[nodiscard]] bool stops_clock(std::string_view fault);
[[nodiscard]] constexpr bool strikes_clients(const FaultRow& row) {
  return row.targets == FaultRow::Targets::hosts || row.targets == FaultRow::Targets::clients;
}
[[nodiscard]] constexpr bool strikes_servers(const FaultRow& row) { return row.targets != FaultRow::Targets::clients; }
/// Whether `until`, where a fault ends, is at this event; rounds are not compared, and occurrences are the caller's.
[[nodiscard]] bool ends_at(const EventPlace& until, const EventPlace& event);
/// Whether the fault ends by an event of its own.
[[nodiscard]] bool has_end(const Fault& fault);
/// The other host, if histories name it.
[[nodiscard]] bool names_peer(const Fault& fault);

}  // namespace lockproof::harness
