// SPDX-License-Identifier: Apache-2.0
#include "search/reduction/symmetry.hpp"

#include <algorithm>
#include <numeric>

#include "harness/scenario/clients.hpp"

namespace lockproof::sim {
namespace {

using harness::ClientSpec;
using harness::Fault;
using harness::knows_names;

/// Whether the scenario or its bounds name the client, other than as one of those that the budget can strike.
bool is_named(const harness::Scenario& scenario, const harness::Bounds& bounds, const std::string& client) {
  const auto by = [&](const Fault& fault) { return names(fault, client); };
  const auto as_another = [&](Fault form) {
    if (form.target == client) form.target.clear();
    return by(form);
  };
  return std::ranges::any_of(scenario.faults, by) ||
         std::ranges::any_of(
             scenario.steps,
             [&](const harness::Step& step) { return step.event.actor == client || step.event.peer == client; }) ||
         std::ranges::any_of(scenario.sentinels,
                             [&](const harness::SentinelSpec& sentinel) {
                               return std::ranges::find(sentinel.to_clients, client) != sentinel.to_clients.end();
                             }) ||
         std::ranges::any_of(bounds.budget, [&](const harness::BudgetedFault& entry) {
           return std::ranges::any_of(entry.forms, as_another);
         });
}

/// The faults with which the budget can strike a client, in its order.
std::vector<std::vector<Fault>> forms_of(const harness::Bounds& bounds, const std::string& client) {
  std::vector<std::vector<Fault>> all;
  for (const harness::BudgetedFault& entry : bounds.budget) {
    all.emplace_back();
    for (const Fault& form : entry.forms) {
      if (form.target != client) continue;
      all.back().push_back(form);
      all.back().back().target.clear();
      all.back().back().line = 0;
    }
  }
  return all;
}

ClientSpec nameless(ClientSpec client) {
  client.name.clear();
  return client;
}

}  // namespace

bool names(const Fault& fault, const std::string& host) {
  if (fault.target == host || fault.peer == host) return true;
  if (fault.when && (fault.when->actor == host || fault.when->client == host)) return true;
  return std::ranges::find(fault.to_clients, host) != fault.to_clients.end();
}

Symmetry::Symmetry(const harness::Scenario& scenario, const harness::Bounds& bounds) : bounds_(bounds) {
  const std::size_t count = scenario.clients.size();
  classes_.resize(count);
  std::iota(classes_.begin(), classes_.end(), 0);
  for (const ClientSpec& client : scenario.clients) names_.push_back(client.name);
  for (std::size_t i = 0; i < count; ++i) {
    if (knows_names(scenario)) continue;
    if (is_named(scenario, bounds, names_[i])) continue;
    for (std::size_t j = 0; j < i; ++j) {
      if (is_named(scenario, bounds, names_[j])) continue;
      if (nameless(scenario.clients[i]) != nameless(scenario.clients[j])) continue;
      if (forms_of(bounds, names_[i]) != forms_of(bounds, names_[j])) continue;
      classes_[i] = classes_[j];
      break;
    }
  }
  Permutation places(count);
  std::iota(places.begin(), places.end(), 0);
  do {
    const auto stays = [&](int client) {
      const auto from = static_cast<std::size_t>(client);
      return classes_[from] == classes_[static_cast<std::size_t>(places[from])];
    };
    std::vector<int> clients(count);
    std::iota(clients.begin(), clients.end(), 0);
    if (std::ranges::all_of(clients, stays)) all_.push_back(places);
  } while (std::ranges::next_permutation(places).found);
}

std::size_t Symmetry::form(std::size_t entry, std::size_t form, const Permutation& places) const {
  const std::vector<Fault>& forms = bounds_.budget[entry].forms;
  const auto of = [&](std::size_t i, const std::string& client) { return forms[i].target == client; };
  const auto target = std::ranges::find(names_, forms[form].target);
  if (target == names_.end()) return form;
  const std::string& other =
      names_[static_cast<std::size_t>(places[static_cast<std::size_t>(target - names_.begin())])];
  std::size_t nth = 0;
  for (std::size_t i = 0; i < form; ++i) nth += of(i, *target);
  for (std::size_t i = 0;; ++i) {
    if (of(i, other) && nth-- == 0) return i;
  }
}

}  // namespace lockproof::sim
