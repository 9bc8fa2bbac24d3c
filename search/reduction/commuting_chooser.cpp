// SPDX-License-Identifier: Apache-2.0
#include "search/reduction/commuting_chooser.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "harness/scenario/fault_table.hpp"

namespace lockproof::sim {

using harness::EventName;

bool reaches_others(harness::FaultKind kind) { return harness::row_of(kind).reaches_others; }

bool strikes_elsewhere_at_once(const harness::Fault& fault) {
  if (reaches_others(fault.kind)) return true;
  if (!fault.when || fault.delay != Duration{}) return false;
  return fault.when->actor != fault.target || harness::row_of(fault.kind).ends_connections;
}

bool ends_connections(const harness::Bounds& bounds) {
  return std::ranges::any_of(bounds.budget, [](const harness::BudgetedFault& entry) {
    const bool ends =
        harness::row_of(entry.kind).ends_connections || entry.kind == harness::FaultKind::break_connection;
    return ends && !entry.forms.empty();
  });
}

CommutingChooser::CommutingChooser(Chooser& inner, const harness::Scenario& scenario, const harness::Bounds& budget)
    : inner_(inner), budget_(budget),
      messages_take_time_(scenario.network.latency.least > Duration{} &&
                          scenario.network.replication.least > Duration{} && scenario.sentinels.empty() &&
                          std::ranges::none_of(scenario.faults, strikes_elsewhere_at_once)),
      ends_connections_(ends_connections(budget)), servers_(scenario.host_names(false, true)) {
  servers_.emplace_back("resource");
}

std::size_t CommutingChooser::first_of(std::size_t count, const NameOf& name) {
  if (count == 1) return inner_.first_of(count, name);
  if (!messages_take_time_ || !faults_stay_home()) return first_of_the_rest(count, name);
  std::size_t first_server = servers_.size();
  bool of_client = false, undoes = false;
  offered_.clear();
  for (std::size_t i = 0; i < count; ++i) {
    const EventName event = name(i);
    if (event.kind == EventName::Kind::fault || event.kind == EventName::Kind::heal)
      return first_of_the_rest(count, name);
    const bool of_server = std::ranges::find(servers_, event.actor) != servers_.end();
    const bool own = event.kind == EventName::Kind::timer || event.kind == EventName::Kind::serve;
    if (own && of_server) return first_of_the_rest(count, name);
    of_client = of_client || event.kind != EventName::Kind::message ||
                std::ranges::find(servers_, event.peer) == servers_.end();
    if (event.kind != EventName::Kind::message) continue;
    undoes = undoes || world_->candidate(i).may_undo;
    const auto server = static_cast<std::size_t>(std::ranges::find(servers_, event.peer) - servers_.begin());
    if (server < first_server) first_server = server, offered_.clear();
    if (server == first_server && server < servers_.size()) offered_.push_back(i);
  }
  if (const auto reply = buffered(count)) {
    return inner_.first_of(1, [&](std::size_t) { return name(*reply); }), *reply;
  }
  const bool loses = ends_connections_ && !world_->budget().spent();
  if (offered_.empty() || (of_client && (undoes || loses))) return first_of_the_rest(count, name);
  const std::size_t chosen = inner_.first_of(offered_.size(), [&](std::size_t i) { return name(offered_[i]); });
  return offered_[chosen];
}

/// Of what does not commute: everything, or without the replies to a client behind those of its first server.
std::size_t CommutingChooser::first_of_the_rest(std::size_t count, const NameOf& name) {
  if (budget_.ties == harness::Ties::all || !world_) return inner_.first_of(count, name);
  std::map<int, int> first;  // by client
  for (std::size_t i = 0; i < count; ++i) {
    const World::DueEvent coming = world_->candidate(i);
    if (!coming.arrives || !coming.reply) continue;
    int& server = first.try_emplace(coming.client, coming.server).first->second;
    server = std::min(server, coming.server);
  }
  rest_.clear();
  for (std::size_t i = 0; i < count; ++i) {
    const World::DueEvent coming = world_->candidate(i);
    if (!coming.arrives || !coming.reply || coming.server == first.at(coming.client)) rest_.push_back(i);
  }
  return rest_[inner_.first_of(rest_.size(), [&](std::size_t i) { return name(rest_[i]); })];
}

/// The first reply that only fills its place in a gather, at a client that has no event of its own now.
std::optional<std::size_t> CommutingChooser::buffered(std::size_t count) const {
  std::set<int> busy;
  for (std::size_t i = 0; i < count; ++i) {
    const World::DueEvent coming = world_->candidate(i);
    if (!coming.arrives) busy.insert(coming.host);
  }
  std::optional<std::size_t> first;
  std::pair<int, int> place;
  for (std::size_t i = 0; i < count; ++i) {
    const World::DueEvent coming = world_->candidate(i);
    const std::pair here(coming.client, coming.server);
    if (!coming.arrives || !coming.reply || busy.contains(coming.client) || (first && place <= here)) continue;
    if (world_->only_buffers(i)) first = i, place = here;
  }
  return first;
}

bool CommutingChooser::faults_stay_home() const {
  if (!world_) return false;
  if (world_->budget().spent()) return true;
  return std::ranges::none_of(budget_.budget, reaches_others, &harness::BudgetedFault::kind);
}

}  // namespace lockproof::sim
