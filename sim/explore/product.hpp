// SPDX-License-Identifier: Apache-2.0
// Product: the world as a tuple of numbers (a state of each host, of each link, of the budget, of the monitors), and
// what can happen in it. Everything is a look-up, but for what happens for the first time.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/explore/hosts.hpp"
#include "sim/explore/watchers.hpp"

namespace lockproof::sim {

/// Which event of a world, and how it went.
struct Move {
  bool local = false;  // an event of a host's own, else an arrival
  int host = 0;        // whose
  int n = 0;           // of those of its own that are due
  int client = 0, server = 0;
  bool reply = false;
  int before = 0;  // arrivals of the same kind between these two that come first in the link
  const Choices* choices = nullptr;
};

class Product final : public Pinned {
 public:
  using Tuple = std::vector<Id>;

  /// Why this engine cannot search the scenario; empty: it can.
  [[nodiscard]] static std::string refusal(const harness::Scenario& scenario, const harness::Bounds& bounds);

  Product(const harness::Scenario& scenario, const harness::Bounds& bounds, redis::ScriptEngine& scripts, bool offsets,
          bool reduce);

  [[nodiscard]] std::size_t columns() const { return column_count_; }
  /// The states at the start: one, or one for each set of faults that hold from then on.
  [[nodiscard]] std::vector<Tuple> initial();

  /// What a world is asked while it is made, to begin in this state.
  [[nodiscard]] const Choices& start_of(const Tuple& initial) const;

  struct Successor {
    const Tuple& tuple;
    const Move& move;
    bool entered, contended;
    const Watchers::Ways& broken;
    std::string_view exclusion;  // kind of a violation of mutual exclusion; empty: none
  };
  class Sink {
   public:
    virtual void see(const Successor& successor) = 0;

   protected:
    ~Sink() = default;
  };
  /// Shows all that can happen next. False: nothing can.
  bool each_successor(const Tuple& tuple, Sink& sink);

  [[nodiscard]] int faults_used(const Tuple& tuple) const { return shared_.budgets.used(tuple[budget_column_]); }
  [[nodiscard]] bool wall_was_read() const { return shared_.wall_was_read; }
  /// Faults of the scenario that have struck in what was shown, by number.
  [[nodiscard]] const std::set<int>& struck() const { return shared_.events.struck(); }
  [[nodiscard]] const std::vector<std::string>& judged() const { return watchers_.judged(); }
  /// States of hosts and links, and steps that were worked out.
  [[nodiscard]] std::string sizes() const;

 private:
  [[nodiscard]] std::size_t link_column(int client, int server) const {
    return host_count_ + static_cast<std::size_t>(client) * servers_ + static_cast<std::size_t>(server);
  }
  [[nodiscard]] std::size_t server_column(int server) const { return clients_ + static_cast<std::size_t>(server); }
  [[nodiscard]] int server_host(int server) const { return static_cast<int>(clients_) + server; }
  [[nodiscard]] Duration until_next(const Tuple& tuple) const;
  void age(Tuple& tuple, Duration by);
  Id link_age(Id link, Duration by);
  const std::vector<Outcome>& step(std::size_t host, Input& input, Id letter);
  void locals(std::size_t host, Sink& sink);
  void arrivals(int client, int server, bool requests_only, Sink& sink);
  [[nodiscard]] Id without(Id link, const Arrival& arrival);
  const std::vector<Outcome>& outcomes_of(int client, int server, const Arrival& arrival);
  bool put_down(int client, int server, Sink& sink);
  bool each_of_fewer(Sink& sink);
  void finish(const Outcome& outcome, std::size_t host, Move& move, Sink& sink);
  void shift(Tuple& tuple, int client, int server, int sent);
  void sever(Tuple& tuple, std::size_t host, const Severed& severed);
  void reset(Tuple& tuple, int client, int server);
  void client_posts(Tuple& tuple, int client, const Outcome& outcome);
  void server_posts(Tuple& tuple, int server, const Outcome& outcome);
  void close(Tuple& tuple, int client, int server, bool reopened);
  void tidy(Tuple& tuple, int client, int server);
  void rename(Id& state, int client, int server, int from, int to);
  template <class Change>
  Id changed(FlatMap& known, Id link, std::uint64_t how, Change change);
  Id push_request(Id link, const PostedLetter& posted);
  Id push_reply(Id link, const PostedLetter& posted);
  [[nodiscard]] std::uint64_t tokens_of(int client) const;
  [[nodiscard]] Key128 key(Id state, const Input& input, Id letter, Id budget) const;
  [[nodiscard]] bool contends(const Tuple& tuple, std::size_t host, Id events) const;
  [[nodiscard]] std::string_view exclusion(const Tuple& tuple, std::size_t entering, bool promised) const;

  Shared shared_;
  const bool reduce_;
  const bool messages_take_time_;
  const std::size_t clients_, servers_, host_count_;  // servers with the resource
  std::size_t budget_column_, watch_column_, column_count_;
  std::vector<std::unique_ptr<Host>> hosts_;
  Links links_;
  Watchers watchers_;
  FlatMap link_ages_, requests_, replies_, taken_, sent_, closed_, reset_, tidied_;
  std::map<Tuple, Choices> starts_;
  Id reset_letter_;
  std::vector<Id> losses_;  // scratch: events of commands that will never run
  Tuple now_, next_;        // scratch: aged to the instant of the next event, and after it
};

}  // namespace lockproof::sim
