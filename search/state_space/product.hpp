// SPDX-License-Identifier: Apache-2.0
// Product: the world as a tuple of numbers (each client with its links, each site of servers, the budget, each
// monitor), and all steps that were computed so far. Successors looks them up, and adds to them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/stop.hpp"
#include "search/state_space/groups.hpp"
#include "search/state_space/monitor_states.hpp"
#include "search/state_space/naming.hpp"
#include "search/state_space/rechecked.hpp"
#include "search/state_space/symmetric_states.hpp"

namespace lockproof::sim {

class Product final : public PinnedObject {
 public:
  using Tuple = std::vector<Id>;
  static constexpr std::size_t most_servers = 31;  // a bit for each, and for the resource

  /// The reason for which this engine cannot search the scenario; empty: it can.
  [[nodiscard]] static std::string refusal(const harness::Scenario& scenario, const harness::Bounds& bounds);

  /// The reductions: orders of events that commute, and all but one of the states that differ in the places of
  /// interchangeable clients.
  struct Reductions {
    bool ties = true, places = false;
  };
  Product(const harness::Scenario& scenario, const harness::Bounds& bounds, ModelFactory& models, ClockDetail detail,
          Reductions reductions, std::size_t live_hosts);

  /// For tests of the search.
  void plant(PlantedMistake mistake) {
    planted_ = mistake;
    monitor_states_.deafen(mistake == PlantedMistake::monitor_left_out);
  }
  /// When a stop is requested, an instance that computes what comes next throws Cancellation.
  void stop_at(std::stop_token stop) { shared_.stop = std::move(stop); }
  /// So it does before it runs one more path than these.
  void stop_after_paths(std::uint64_t paths) { shared_.most_paths = paths; }
  [[nodiscard]] bool has_run_all_paths() const { return shared_.paths >= shared_.most_paths; }
  [[nodiscard]] std::uint64_t paths() const { return shared_.paths; }
  [[nodiscard]] std::uint64_t inputs() const { return shared_.inputs; }

  [[nodiscard]] std::size_t columns() const { return column_count_; }
  /// The largest number that stands in each column so far.
  [[nodiscard]] Tuple largest() const;
  /// The initial states: one, or one for each set of faults that hold from the start.
  [[nodiscard]] std::vector<Tuple> initial();

  /// The world's choices while it is made, to begin in this state.
  [[nodiscard]] const Choices& start_of(const Tuple& initial) const;

  /// No client will ask for the lock any more.
  [[nodiscard]] bool quiet(const Tuple& tuple) const;
  /// What a probe client would find on the servers; `ended`: no event will happen any more.
  [[nodiscard]] std::string remains(const Tuple& tuple, bool ended) const;
  [[nodiscard]] int faults_used(const Id* tuple) const { return shared_.budgets.used(tuple[budget_column_]); }
  [[nodiscard]] int faults_of(Id budget) const { return shared_.budgets.used(budget); }
  /// The number of the budget's counts.
  [[nodiscard]] Id budget_of(const Tuple& tuple) const { return tuple[budget_column_]; }
  [[nodiscard]] const std::vector<int>& counts(Id budget) const { return shared_.budgets.at(budget); }
  [[nodiscard]] ClockDetail clocks_read() const { return shared_.clocks_read; }
  /// See SharedContext::runs.
  [[nodiscard]] std::uint64_t runs() const { return shared_.runs; }
  /// The scenario's faults, by number, that have struck in what was passed so far.
  [[nodiscard]] const std::set<int>& struck() const { return shared_.events.struck(); }
  /// See Exploration::outcomes.
  [[nodiscard]] std::set<std::string> outcomes() const { return shared_.events.outcomes(static_cast<int>(clients_)); }
  /// The rounds that were begun, and those that got the lock. What one client of a kind can do, each of them can.
  [[nodiscard]] RoundCoverage rounds() const;
  /// The budget's faults that have struck.
  [[nodiscard]] const std::set<Budget::Offer>& of_budget() const { return shared_.of_budget; }
  /// Whether one state stands for several.
  [[nodiscard]] bool is_symmetric() const { return reductions_.places && symmetry_.any(); }
  [[nodiscard]] const std::vector<std::string>& judged() const { return monitor_states_.judged(); }
  /// Bytes held by the tables behind the numbers of a tuple.
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  friend class Block;
  friend class KnownSteps;
  friend class Successors;

  /// A tuple in which sites and links stand alone: sites, links, budget.
  using Wide = std::vector<Id>;
  [[nodiscard]] std::size_t link_column(int client, int server) const {
    return host_count_ + static_cast<std::size_t>(client) * servers_ + static_cast<std::size_t>(server);
  }
  [[nodiscard]] std::size_t server_column(int server) const { return shared_.sites.of_server(server); }
  [[nodiscard]] int server_host(int server) const { return static_cast<int>(clients_) + server; }
  [[nodiscard]] std::size_t host_named(const std::string& name) const;
  /// The client and its links, as a number in Groups.
  void parts(const Wide& wide, std::size_t client, std::vector<Id>& into) const;

  SharedContext shared_;
  PlantedMistake planted_ = PlantedMistake::none;
  const Reductions reductions_;
  MonitorStates monitor_states_;
  const bool messages_take_time_;  // and no fault of the scenario does something at two hosts at once
  const bool budget_reaches_;      // … but one of the budget does
  const bool budget_ends_connections_;
  const std::size_t clients_, servers_, host_count_;               // servers include the resource; hosts are sites
  const std::size_t budget_column_, watch_column_, column_count_;  // the monitors' columns are the last ones
  const std::size_t wide_budget_;
  Id used_up_ = 0;  // a budget that is used up
  std::vector<std::unique_ptr<Host>> hosts_;
  Links links_;
  std::vector<std::unique_ptr<Groups>> groups_;
  Tuples shapes_;  // the shapes of groups
  const AskingRule asking_;
  Symmetry symmetry_;
  SymmetricStates symmetric_states_;
  Naming naming_;
  FlatMap link_ages_, requests_, replies_, taken_, sent_, closed_, reopened_, opened_, reset_, tidied_, lost_;
  std::map<Tuple, Choices> starts_;
  Id reset_message_;
  Id end_;      // the event that nothing happens any more
  Id cut_off_;  // … that nothing more is looked at
};

}  // namespace lockproof::sim
