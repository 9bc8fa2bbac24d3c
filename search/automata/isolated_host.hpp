// SPDX-License-Identifier: Apache-2.0
// IsolatedHost: one site of a world, run alone. Its inputs are given, its outputs are taken. A site is a deterministic
// transducer: its state is the sequence of its inputs, and this class runs the real code (the same World, Process and
// ServiceModel as any run) to find the effect of one more event.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "search/automata/sites.hpp"
#include "search/core/exploration.hpp"
#include "sim/kernel/path_chooser.hpp"
#include "sim/world/state_encoder.hpp"
#include "sim/world/world.hpp"

namespace lockproof::sim {

/// A message between two hosts, free of absolute numbers: how many commands its sender has sent after it identifies it.
/// Stamps in it are microseconds from now.
struct CanonicalMessage {
  Command command{std::vector<Value>{}};
  std::optional<Reply> reply{};
  std::optional<harness::KeyChange> key{};
  int round = 0;  // its sender's, where a fault of a server needs it
  bool refused = false, push = false, reset = false, hang_up = false;
  bool reply_lost = false;  // for a request: its reply will be lost
  Duration reply_late{};    // … or delayed by this time
  bool operator==(const CanonicalMessage&) const = default;
};

/// Connections have slots (see Process::slot_of); those from here on are for connections that the client has closed.
inline constexpr int first_closed_slot = 64, slots_most = 128;

/// An input of a site.
struct Input {
  enum class Kind : std::uint8_t {
    age,           // time passes: `by`
    local,         // the n-th of its own due events: timers, ends of faults
    letter,        // from `peer`, on its connection `slot`
    shift,         // `peer` has sent another command here
    disconnected,  // `peer`'s connection `slot` is gone
    renamed,       // `peer` has closed its connection `slot`, which has the slot `distance` from now on
    ask,           // it asks for the lock, although it could wait
    struck,        // a fault of the budget holds from the start: entry and form
    triggered,     // the scenario's n-th fault is placed by an event of another site that happens now
    redirected,    // a client turns from server n to server `peer`
  };
  Kind kind = Kind::age;
  Duration by{};
  int n = 0;  // at a site of servers, for what comes over a connection: the place of the server that has it
  int peer = 0, slot = 0, distance = 0;
  CanonicalMessage letter{};
  std::vector<int> budget{};       // the budget's counts before it
  std::uint64_t tokens = 0;        // tokens with a name of this client's that are in use somewhere
  Choices choices{};               // answers to what the world asked meanwhile
  std::vector<TokenName> drawn{};  // names of the tokens that it draws; further ones get the first free names
  bool operator==(const Input&) const = default;
};

/// An output of a site. `server`: of those of the scenario, from 0; the peer of a client is a server, too.
struct SiteOutput {
  int peer = 0, slot = 0, distance = 0;
  int server = 0;
  CanonicalMessage letter{};
  Duration way{};
};
/// A client has closed its connections to a server, or some of them.
struct ClosedConnections {
  int peer = 0;
  std::uint64_t slots = 0;  // a bit each
  bool reopened = false;    // the first one
  std::size_t before = 0;   // how many letters were posted on those that were closed
  void add(std::size_t slot) { slots |= std::uint64_t{1} << slot; }
  [[nodiscard]] bool covers(int slot) const { return slot < first_closed_slot && (slots >> slot & 1) != 0; }
};

/// A client has made a connection that is not the first to its server. It need not use it at once.
struct OpenedConnection {
  int server = 0, slot = 0;
};

/// The server has ended all of a client's connections, or one.
struct Reset {
  static constexpr int all = -1;
  int client = 0, server = 0;
  int slot = all;
  std::size_t after = 0;  // the number of consequences that came before
  bool operator==(const Reset&) const = default;
};

/// No message passes between a client and a server for a while.
struct LinkCut {
  int client = 0, server = 0;
  bool replies = false;  // those of the server, else those of the client
  Duration lasts{};
};

/// Something that happens at another site because of this event, at this instant: a fault that the event places there,
/// or a client that turns to another server.
struct Consequence {
  std::size_t site = 0;
  Input::Kind kind = Input::Kind::triggered;  // or redirected
  int n = 0, peer = 0;                        // as in Input
  std::size_t answered = 0, noted = 0;        // the number of questions and of history events that came before
};

struct Output {
  std::vector<SiteOutput> posted{};
  std::vector<ClosedConnections> closed{};
  std::vector<OpenedConnection> opened{};
  std::vector<Reset> resets{};
  std::vector<LinkCut> severed{};
  std::vector<Consequence> consequences{};
  bool buffered = false;                // a reply that did nothing but fill its place in a gather
  std::vector<int> sent{};              // by a client, to each server, including lost ones; empty: none
  std::vector<int> budget{};            // the budget's counts after it
  std::vector<Budget::Offer> struck{};  // faults of the budget
  std::vector<harness::Event> events{};
};

/// A connection on which a server holds something back: the server's place in its site, the client, and the slot.
struct HeldReply {
  int place = 0, client = 0, slot = 0;
  auto operator<=>(const HeldReply&) const = default;
};

/// The traits of a site's state that the search needs.
struct Traits {
  std::string encoding{};
  std::string shape{};  // for a client: the same without its name, whatever its tokens are called
  Duration due{};       // until its next own event, from now; `never` if none
  int locals = 0;       // how many are due then
  int alone = 0;        // how many of these commute with no event elsewhere: faults, their ends, a server's own timers
  std::vector<int> arrives{};  // for each of them at a site of servers: the place of the server at which a message of
                               // another one of them arrives; none: -1
  bool inside = false, entitled = false;
  bool begun = false;        // a client that has a connection
  bool sent = false;         // a client that has sent something
  bool over = false;         // a client that will not ask for the lock any more
  bool overdue = false;      // a client whose program has not answered for longer than the scenario allows
  bool given_up = false;     // a client of which it is not known what its program does
  bool leases = false;       // servers that have keys which will run out
  std::string remains[2]{};  // for a server: see World::remains, without and with leased keys
  bool interested = false;   // in the lock: a client that asks for it now contends
  std::vector<HeldReply> held{};
  std::vector<TokenName> names{};  // tokens that it knows, in the order of first sight …
  std::size_t born = 0;            // … of which its lock has had so many from its start
  // The input of the rule for asking instants, where clients ask freely; see World::outlook.
  bool wants = false;                                           // a client that may ask now
  bool only_tries = false;                                      // see Process::only_tries
  std::vector<Duration> events{}, readings{}, ends{}, wakes{};  // its own instants, see Outlook
  std::vector<std::int64_t> stamps{};                           // in a server's keys: microseconds from now
  std::vector<Duration> milliseconds{};                         // for servers: see Outlook::milliseconds
  std::vector<Recurrence> ticks{};                              // for servers: see Outlook::ticks
  std::optional<HostClocks> clocks{};                           // for a client that is not over
  Duration now{};                                               // the time of its world
};

/// A question of a world: which of some options, or whether a fault of the budget strikes. The second is recorded where
/// a fault could strike if nothing of the budget had been used.
struct Question {
  bool strike = false;
  std::vector<Budget::Offer> offers{};  // of the budget, used up or not
  std::size_t options = 0;              // number of answers, if it is not about the budget
  std::size_t answer = 0;               // for the budget: 0 none, else one more than the index in `offers`
};

class IsolatedHost final : public PinnedObject {
 public:
  static constexpr Duration never{std::int64_t{1} << 55};

  /// REQUIRES: the scenario is `IsolatedHost::alone` of that site; the sites outlive it.
  IsolatedHost(const harness::Scenario& scenario, const harness::Bounds& budget, ModelFactory& models,
               const Sites& sites, std::size_t site);

  /// The scenario as the isolated site runs it: no other client starts.
  [[nodiscard]] static harness::Scenario alone(const harness::Scenario& scenario, std::size_t site);

  /// Feeds one input; its choices are followed, and where they end the first option of everything is taken.
  void feed(const Input& input);
  /// Does so, and records the questions with their answers.
  [[nodiscard]] std::vector<Question> feed_and_listen(const Input& input);
  /// The outcome of the last input.
  [[nodiscard]] Output take_output();
  /// As if it had been taken, where it is known already.
  void drop_output();
  /// All choices of the last input, and how many options each had.
  [[nodiscard]] PathChooser& chooser() { return chooser_; }
  /// Tokens that were drawn by the last input.
  [[nodiscard]] const std::vector<TokenName>& drawn() const { return drawn_; }
  [[nodiscard]] Traits traits(ClockDetail detail);
  [[nodiscard]] ClockDetail clocks_read() const { return world_.clocks_read(); }

 private:
  [[nodiscard]] bool client() const { return sites_.is_client(site_); }
  [[nodiscard]] bool is_here(harness::HostIndex host) const { return sites_.of_host(host) == site_; }
  /// Of the client, if it is one.
  [[nodiscard]] harness::HostIndex host() const { return static_cast<harness::HostIndex>(site_); }
  [[nodiscard]] const std::vector<int>& servers() const { return sites_.servers_of(site_); }
  Server& server(int place) {
    return *world_.servers_[static_cast<std::size_t>(servers().at(static_cast<std::size_t>(place)))];
  }
  [[nodiscard]] TokenName next_name();
  Process& process() { return *world_.processes_[site_]; }
  Connection& connection(const Input& input);
  void feed_event(const Input& input);
  void deliver(const Input& input);
  void shift(Server& server, int client);
  void post(Connection& connection, int slot, Line& line, std::vector<SiteOutput>& into);
  [[nodiscard]] Message message_of(const Input& input);
  [[nodiscard]] CanonicalMessage canonical_message_of(const Connection& connection, const Message& message) const;
  [[nodiscard]] Value moved(const Value& value, bool to_relative) const;
  void client_output(Output& out);
  void post_requests(std::size_t server, Output& out);
  [[nodiscard]] std::optional<std::size_t> slot_before(const Connection& connection) const;
  void server_output(Output& out);
  void end_resets();
  void forget_reset_connections();
  void take_cuts(Output& out);
  void take_consequences(Output& out);
  void note_resets();
  void note_reset(Reset reset);
  void add_client(Traits& traits, StateEncoder& into);
  void add_servers(Traits& traits, StateEncoder& into);
  void add_due(Traits& traits);
  void add_outlook(Traits& traits);
  void remember_connections();

  const Sites& sites_;
  const std::size_t site_;
  const int clients_;
  PathChooser chooser_{{}};
  std::uint64_t names_in_use_ = 0;
  std::vector<TokenName> dictated_, drawn_;
  World world_;
  struct Occasion {
    std::size_t made;  // number of choices before it
    std::vector<Budget::Offer> ever, now;
  };
  std::vector<Occasion> occasions_{};  // of the last input
  struct Reach {
    Consequence consequence;
    std::size_t occasions, made;  // before it
  };
  std::vector<Reach> reached_{};  // by the last input
  std::vector<Reset> resets_{};   // by the last input
  bool rounds_matter_ = false;
  bool buffered_ = false;                                 // whether the last input only filled a place in a gather
  std::vector<Connection*> before_;                       // a client's first connections before the input
  std::vector<std::vector<Connection*>> further_before_;  // … and the others
  std::vector<int> sent_before_;                          // by a client, to each server
  bool crashed_before_ = false;
  std::map<HeldReply, Connection*> by_slot_{};  // those of servers
};

}  // namespace lockproof::sim
