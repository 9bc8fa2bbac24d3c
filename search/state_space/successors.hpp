// SPDX-License-Identifier: Apache-2.0
// Successors: what can happen next in a state of the product. Everything is looked up, except what happens for the
// first time: that is computed, by an instance that learns. Threads: several instances may look up at once, while none
// computes.
#pragma once

#include <deque>
#include <span>
#include <string_view>
#include <vector>

#include "search/state_space/product.hpp"

namespace lockproof::sim {

/// An event of a world, and how it went.
struct Move {
  bool local = false;     // an event of a host's own, else an arrival
  bool asks = false;      // a client asks although it could wait
  bool connects = false;  // … and has had no connection before, see Ask
  Duration after{};       // … so long after the event before
  int host = 0;           // the site that has the event
  int n = 0;              // which of its own due events
  int client = 0, server = 0;
  bool reply = false;
  int before = 0;                    // arrivals of the same kind between these two that come first in the link
  const Choices* answers = nullptr;  // see Answers::each, and those of what happens elsewhere because of it
};

/// Why no event of a state is passed.
enum class EndReason : std::uint8_t {
  nothing_comes,
  unanswered,  // nothing goes on but a program that has not answered for longer than the scenario allows
  horizon,     // the scenario's end is reached
  given_up,    // what a program would do is not known
};

/// Thrown by an instance that does not learn, where something unknown is rare.
struct UnknownOutcome {};

class Successors final : public PinnedObject {
 public:
  using Tuple = Product::Tuple;

  /// `learns`: it computes what is not known yet.
  Successors(Product& product, bool learns);

  struct Successor {
    const Tuple& tuple;  // the state that stands for it: see stand_in
    const Tuple& as_it_is;
    const Move& move;
    bool entered, contended;
    bool asks;  // a client asks although it could wait
    const MonitorStates::Violations& broken;
    std::string_view exclusion;  // kind of a violation of mutual exclusion; empty: none
  };
  class Sink {
   public:
    virtual void see(const Successor& next) = 0;
    /// Nothing can happen, or nothing more is looked at; `broken`: the violations of that.
    virtual void ended(const MonitorStates::Violations& /*broken*/, EndReason /*why*/) {}

   protected:
    ~Sink() = default;
  };
  /// Calls the sink with everything that can happen next. False: nothing can, or see EndReason. An instance that
  /// does not learn may have passed only a part: see `unknown`.
  bool each(const Tuple& tuple, Sink& sink) { return each(tuple, sink, p_.reductions_.ties); }
  /// … and with the events that are left out because they commute with others.
  bool each_without_reduction(const Tuple& tuple, Sink& sink) { return each(tuple, sink, false); }
  /// The representative of this state and all that differ from it in the places of interchangeable clients: the one
  /// whose groups are in the order of their shapes, and of such orders the one with the least numbers. Valid until the
  /// next call.
  const Tuple& stand_in(const Tuple& tuple);
  // For those that keep what is known in rows: the events of one client in a state that has been aged to the instant of
  // its next event, before monitors have seen them, tokens are named and the state is represented. They require that
  // the instance learns, and that no paused server holds messages.

  /// A request that arrives, and is run by its server.
  struct Run {
    const Tuple& next;
    std::size_t site;
    const Outcome* outcome;
    bool several;  // something happens at other sites, too
    const std::vector<Id>& losses;
  };
  class Listener {
   public:
    /// What an event of the client makes of it: its own, or that a reply arrives from this server.
    virtual void see(bool local, int server, const std::vector<Effect>& effects) = 0;
    /// A request arrives at the server, in this place of the link's arrivals.
    virtual void see_request(int server, std::uint32_t place) = 0;
    virtual void see(const Run& run) = 0;

   protected:
    ~Listener() = default;
  };
  /// Its own events first, and then what arrives.
  void each_event_of(const Tuple& tuple, std::size_t client, Listener& listener);
  void each_run(const Tuple& tuple, std::size_t client, int server, std::uint32_t place, Listener& listener);
  /// The state of the server's site after an input that has no other effect.
  Id after_quiet(const NoOpInput& quiet, Id state) { return quiet_step(quiet.server, state, quiet.key, quiet.input); }
  /// The state after this time, in which nothing happens. It may be changed; valid until the next call.
  Tuple& after(const Tuple& tuple, Duration by);
  /// Gives the tokens of a state their names. False: the result is not known.
  bool named(Tuple& tuple);

  /// Whether the last call met something unknown.
  [[nodiscard]] bool unknown() const { return unknown_; }
  /// How often something unknown was computed.
  [[nodiscard]] std::uint64_t learned() const { return learned_; }
  [[nodiscard]] int faults_used(const Tuple& tuple) const { return p_.faults_used(tuple.data()); }
  /// The violations if nothing can happen any more, or nothing more is looked at.
  [[nodiscard]] MonitorStates::Violations at_end(const Tuple& tuple, EndReason why);
  [[nodiscard]] Id budget_of(const Tuple& tuple) const { return tuple[p_.budget_column_]; }

 private:
  using Wide = Product::Wide;

  /// What happens at one site in an event; an event has one part, unless it has consequences at other sites.
  struct Part {
    std::size_t site = 0;
    const Outcome* outcome = nullptr;
    std::size_t because_of = 0;  // the part whose consequence it is, and which
    const ConsequenceStep* as = nullptr;
  };
  using Parts = std::vector<Part>;

  // A client's own events, as numbers: those of its own that are due, replies that arrive, and that it asks.
  static constexpr std::uint32_t reply_bit = 1u << 15, ask_event = 1u << 14, place_bits = 9,
                                 place_mask = (1u << place_bits) - 1;
  [[nodiscard]] static std::uint32_t reply_event(int server, std::uint32_t place) {
    return reply_bit | static_cast<std::uint32_t>(server) << place_bits | place;
  }

  // The tuple.
  [[nodiscard]] Duration until_next(const Tuple& tuple) const;
  void age(Duration by);
  void age_monitors(Tuple& tuple, Duration by);
  Id group_age(std::size_t client, Id group, Duration by);
  bool each(const Tuple& tuple, Sink& sink, bool reduce);
  bool each_event(const Tuple& tuple, Sink& sink, bool reduce);
  // Programs, which may go on for ever.
  [[nodiscard]] bool is_given_up(const Tuple& tuple) const;
  [[nodiscard]] EndReason cut_off(const Tuple& tuple, Duration due);
  [[nodiscard]] Duration left_until_horizon(const Tuple& tuple) const;
  [[nodiscard]] bool only_overdue(const Tuple& tuple);
  [[nodiscard]] bool monitors_have_settled(const Tuple& tuple);
  // Clients that ask freely.
  bool connect(std::size_t client);
  void each_ask(const Tuple& tuple, const std::vector<Duration>& instants, Sink& sink);
  [[nodiscard]] std::vector<Duration> asking_instants(const Tuple& tuple);
  [[nodiscard]] Outlook outlook(const Tuple& tuple);
  [[nodiscard]] Tuple calm(const Tuple& tuple) const;
  [[nodiscard]] std::vector<Tuple> without_faults(const Tuple& calm);
  /// `before`: events at the same instant through which it came here.
  [[nodiscard]] std::vector<Duration> foreseen(const Tuple& tuple, Duration within, int before = 0);
  [[nodiscard]] bool faults_stay_home(const Tuple& tuple) const;
  [[nodiscard]] bool connections_may_end(const Tuple& tuple) const;
  [[nodiscard]] bool a_client_acts() const;
  bool each_of_fewer(Sink& sink);
  void arrivals_from_servers(int server, Sink& sink);
  void collect(std::span<const Part> parts, std::size_t of);
  void arrivals(int client, int server, bool requests_only, Sink& sink);
  bool buffered(int client, int server, Sink& sink);
  void show(std::size_t client, std::uint32_t event, Move& move, Sink& sink);
  void show(std::size_t client, const Effect& effect, Move& move, Sink& sink);
  void request(const Arrival& arrival, std::uint32_t place, Move& move, Sink& sink);
  bool reach_clients(std::size_t site, const Outcome& outcome);
  Id loss(int client, int server, int distance);
  void show_monitors(Id list, MonitorStates::Violations* broken);
  void judge(std::span<const Part> parts, const std::vector<Id>& losses, Move& move, Sink& sink);
  [[nodiscard]] bool contends(std::size_t host, Id events) const;
  [[nodiscard]] std::string_view exclusion(std::size_t entering, bool promised) const;
  [[nodiscard]] std::uint64_t tokens_of(std::size_t client) const {
    return tokens_ >> (client * token_names) & ((std::uint64_t{1} << token_names) - 1);
  }
  const std::vector<Effect>& effects(std::size_t client, std::uint32_t event);
  std::vector<Effect> worked_out(std::size_t client, std::uint32_t event);
  Id budget_after(Id budget, Id more);
  Id pushed(std::size_t client, Id group, int server, const PostedMessage& posted);
  Id quiet_step(int server, Id state, std::uint64_t key, const Input& input);
  const std::vector<Outcome>& step(std::size_t host, Id state, const InputKey& input, Id letter) {
    return step(host, state, input, letter, now_[p_.budget_column_]);
  }
  const std::vector<Outcome>& step(std::size_t host, Id state, const InputKey& input, Id letter, Id budget);
  void must_learn() {
    if (!learns_) throw UnknownOutcome{};
    ++learned_;
  }
  /// Reports something unknown where that is not rare: the caller goes on with any value, and what it passes does not
  /// count.
  [[nodiscard]] bool gives_up() {
    unknown_ |= !learns_;
    learned_ += learns_;
    return !learns_;
  }

  // Names of tokens, and places of clients.
  bool name(Tuple& tuple);
  [[nodiscard]] bool is_in_order(const Tuple& tuple, const Permutation& places) const;
  bool image(const Tuple& tuple, std::size_t places, Tuple& into);

  // The wide tuple, where hosts and links stand alone.
  void widen();
  void wide_local(std::size_t host, Move& move, Sink& sink);
  void wide_arrival(const Arrival& arrival, Move& move, Sink& sink);
  const std::vector<Outcome>& outcomes_of(int client, int server, const Arrival& arrival);
  void wide_effect(std::size_t client, std::uint32_t event, const Outcome& outcome, Move& move, Sink& sink);
  void finish(const Outcome& outcome, std::size_t host, Move& move, Sink& sink);
  /// A consequence, or the end of a connection that comes after some consequences.
  struct FollowUp {
    std::size_t because_of;
    const ConsequenceStep* reaching;
    const Reset* reset;
  };
  using FollowUps = std::vector<FollowUp>;
  static void add_open(FollowUps& open, std::size_t because_of, const Outcome& outcome);
  void go_on(Parts& parts, FollowUps open, Move& move, Sink& sink);
  void narrow(std::span<const Part> parts, Move& move, Sink& sink);
  [[nodiscard]] std::uint64_t tokens_now(std::size_t client) const;
  void carry(const Outcome& outcome, std::size_t host);
  void quiet(int server, Input input);
  Id link_age(Id link, Duration by);
  [[nodiscard]] Id without(Id link, const Arrival& arrival);
  void shift(int client, int server, int sent);
  void sever(const LinkCut& severed);
  void reset(const Reset& reset);
  void client_posts(int client, const Outcome& outcome);
  void open_further(int client, const Outcome& outcome);
  void server_posts(std::size_t site, const Outcome& outcome);
  void close(int client, const ClosedConnections& how);
  void tidy(int client, int server);
  void rename(int client, int server, int from, int to);
  template <class Change>
  Id changed(FlatMap& known, Id link, std::uint64_t how, Change change);
  Id push_request(Id link, const PostedMessage& posted);
  Id push_reply(Id link, const PostedMessage& posted);

  Product& p_;
  const bool learns_;
  std::uint64_t learned_ = 0;
  Tuple now_, next_;          // aged to the instant of the next event, and after it
  std::uint64_t tokens_ = 0;  // tokens in use now
  bool unknown_ = false;
  bool holds_ = false;                             // a paused server holds letters: a client's event may change it
  bool looks_ahead_ = false;                       // at when things are due: no monitor judges what it meets
  Listener* listener_ = nullptr;                   // gets what happens, instead of monitors
  bool is_wide_ = false;                           // whether wide_now_ is now_
  Wide wide_now_, wide_;                           // now, and after it
  std::vector<Id> losses_;                         // the events of commands that will never run
  Choices answers_;                                // of all parts of an event, as a world asks
  std::vector<std::pair<std::size_t, Id>> noted_;  // the lists of their events, with the site of each
  std::vector<NoOpInput>* told_ = nullptr;         // collects the inputs to servers, instead of delivering them
  std::vector<Id> parts_;                          // scratch
  Tuple image_, stand_in_;
  struct FutureInstants {
    Duration within{};
    std::vector<Duration> instants{};
  };
  Tuples foreseen_of_;  // calm states whose future instants are known
  std::deque<FutureInstants> foreseen_;
};

}  // namespace lockproof::sim
