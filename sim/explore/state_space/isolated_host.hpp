// SPDX-License-Identifier: Apache-2.0
// IsolatedHost: one host of a world, run alone. What reaches it is given, what leaves it is taken off. A host is a
// deterministic transducer: its state is what has reached it, in order, and this runs the real code (the same World,
// Process and Node as any run) to find what one more event does.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/explore/exploration.hpp"
#include "sim/kernel/path_chooser.hpp"
#include "sim/world/state_encoder.hpp"
#include "sim/world/world.hpp"

namespace lockproof::sim {

/// A message between two hosts, free of numbers: how many commands its sender has sent after it says which it is.
/// Stamps in it are microseconds from now.
struct CanonicalMessage {
  Command command{std::vector<Value>{}};
  std::optional<Reply> reply{};
  int round = 0;  // of its sender, where a fault of a server asks for it
  bool refused = false, push = false, reset = false;
  bool reply_lost = false;  // of a request: its answer will be lost
  Duration reply_late{};    // … will be late by this
};

/// Connections have slots: of a client's to a server 0 is the current one and 1 the one for news; from here on they are
/// of connections that the client has closed.
inline constexpr int first_closed_slot = 2;

/// What reaches a host.
struct Input {
  enum class Kind : std::uint8_t {
    age,           // time passes: `by`
    local,         // the n-th of its own events that are due: timers, ends of faults
    letter,        // from `peer`, on its connection `slot`
    shift,         // `peer` has sent another command here
    disconnected,  // `peer`'s connection `slot` is gone
    renamed,       // `peer` has closed its connection `slot`, which is `distance` from now on
    ask,           // it asks for the lock, when it likes
    struck,        // a fault of the budget holds from the start: entry and form
  };
  Kind kind = Kind::age;
  Duration by{};
  int n = 0;
  int peer = 0, slot = 0, distance = 0;
  CanonicalMessage letter{};
  std::vector<int> budget{};       // counts of the budget before it
  std::uint64_t tokens = 0;        // those with a name of this client's that are in use somewhere
  Choices choices{};               // answers to what the world asked meanwhile
  std::vector<TokenName> drawn{};  // what the tokens are called that it draws; the rest gets the first free names
};

/// What leaves it.
struct Posted {
  int peer = 0, slot = 0, distance = 0;  // client side: slot 1 for news, 0 else
  CanonicalMessage letter{};
  Duration way{};
};
struct Closed {
  int peer = 0;
  bool reopened = false;
  std::size_t before = 0;  // how many of the letters were posted on the old connection
};

/// Nothing passes between it and a peer for a while.
struct Severed {
  int peer = 0;
  bool from_peer = false;
  Duration lasts{};
};

struct Output {
  std::vector<Posted> posted{};
  std::vector<Closed> closed{};
  std::vector<int> resets{};  // clients whose connections a server has ended
  std::vector<Severed> severed{};
  bool buffered = false;                // a reply that did nothing but fill a place
  std::vector<int> sent{};              // by a client, to each server, with what was lost; empty: nothing
  std::vector<int> budget{};            // counts after it
  std::vector<Budget::Offer> struck{};  // faults of the budget
  std::vector<harness::Event> events{};
};

/// What the search needs to know of a host's state.
struct Traits {
  std::string encoding{};
  std::string shape{};  // of a client: the same without its name, whatever the tokens are called that it knows
  Duration due{};       // of its next own event, from now; `never`
  int locals = 0;       // how many are due then
  int plans = 0;        // of which are faults and ends of faults
  bool inside = false, entitled = false;
  bool begun = false;                       // a client that has a connection
  bool over = false;                        // a client that will not ask for the lock any more
  std::string remains[2]{};                 // of a server: see World::remains, without and with what is leased
  bool interested = false;                  // in the lock: whoever asks for it now contends
  std::vector<std::pair<int, int>> held{};  // a server that stands still: connections of letters it holds, as client
                                            // and slot
  std::vector<TokenName> names{};           // of tokens that it knows, in the order of first sight …
  std::size_t born = 0;                     // … so many of which its lock has had from its start
  // What the rule for asking instants looks at, where somebody asks freely; see World::outlook.
  bool wants = false;                                  // a client that may ask now
  bool only_tries = false;                             // see Process::only_tries
  std::vector<Duration> events{}, readings{}, ends{};  // of its own, see Outlook
  std::vector<std::int64_t> stamps{};                  // in a server's keys: microseconds from now
  Duration millisecond{};                              // of a server: see Outlook::milliseconds
  std::optional<Recurring> ticks{};                    // of a server: see Outlook::ticks
  std::optional<HostClocks> clocks{};                  // of a client that is not over
  Duration now{};                                      // of its world
};

/// What a world asks: which of some options, or whether a fault of the budget strikes. The second is counted as asked
/// where a fault could strike if nothing of the budget had been used.
struct Question {
  bool strike = false;
  std::vector<Budget::Offer> offers{};  // of the budget, used up or not
  std::size_t options = 0;              // answers, if it is not about the budget
  std::size_t answer = 0;               // of the budget: 0 none, else one more than the place in `offers`
};

constexpr const char* too_many_tokens = "more tokens are in use at once than have names";

class IsolatedHost final : public Pinned {
 public:
  static constexpr Duration never{std::int64_t{1} << 55};

  /// `host`: its index; clients first. The scenario must be `IsolatedHost::alone` of that host.
  IsolatedHost(const harness::Scenario& scenario, const harness::Bounds& budget, ModelFactory& models, int host);

  /// The scenario as the host's cell runs it: nobody else starts, and only its own faults are planned.
  [[nodiscard]] static harness::Scenario alone(const harness::Scenario& scenario, int host);

  /// Feeds one input; its choices are followed, and the first of everything taken where they end.
  void feed(const Input& input);
  /// The same, and tells what was asked meanwhile, and answered.
  [[nodiscard]] std::vector<Question> feed_and_listen(const Input& input);
  /// What came of the last input.
  [[nodiscard]] Output take_output();
  /// All choices of the last input, and how many options each had.
  [[nodiscard]] PathChooser& chooser() { return chooser_; }
  /// Tokens that were drawn by the last input.
  [[nodiscard]] const std::vector<TokenName>& drawn() const { return drawn_; }
  /// `offsets`: states tell apart how far the host's wall clock is off.
  [[nodiscard]] Traits traits(bool offsets);
  [[nodiscard]] bool wall_was_read() const { return world_.wall_was_read(); }

 private:
  [[nodiscard]] bool client() const { return host_ < clients_; }
  [[nodiscard]] TokenName next_name();
  Process& process() { return *world_.processes_[static_cast<std::size_t>(host_)]; }
  Connection& connection(int peer, int slot);
  void deliver(const Input& input);
  void post(Connection& connection, int slot, Line& line, std::vector<Posted>& into);
  [[nodiscard]] Message message_of(const Input& input);
  [[nodiscard]] CanonicalMessage canonical_message_of(const Connection& connection, const Message& message) const;
  [[nodiscard]] Value moved(const Value& value, bool to_relative) const;
  void client_output(Output& out);
  void server_output(Output& out);
  void take_cuts(Output& out);
  void add_outlook(Traits& traits);
  void remember_connections();

  const int host_;
  const int clients_;
  PathChooser chooser_{{}};
  std::uint64_t names_in_use_ = 0;
  std::vector<TokenName> dictated_, drawn_;
  World world_;
  struct Occasion {
    std::size_t made;  // choices before it
    std::vector<Budget::Offer> ever, now;
  };
  std::vector<Occasion> occasions_{};  // of the last input
  bool rounds_matter_ = false;
  bool buffered_ = false;            // by the last input
  std::vector<Connection*> before_;  // a client's, before the input
  std::vector<int> sent_before_;     // by a client, to each server
  bool crashed_before_ = false;
  std::map<std::pair<int, int>, Connection*> by_slot_{};  // a server's, by client and slot
};

}  // namespace lockproof::sim
