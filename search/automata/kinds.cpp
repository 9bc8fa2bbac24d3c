// SPDX-License-Identifier: Apache-2.0
#include "search/automata/kinds.hpp"

#include <algorithm>

#include "harness/scenario/clients.hpp"
#include "search/reduction/symmetry.hpp"

namespace lockproof::sim {
namespace {

using harness::Fault;
using harness::Scenario;

/// Whether something in the scenario, which the budget is not, singles the host out.
bool is_named(const Scenario& scenario, const std::string& host) {
  const auto by_fault = [&](const Fault& fault) { return names(fault, host); };
  const auto by_step = [&](const harness::Step& step) { return step.event.actor == host || step.event.peer == host; };
  const auto by_sentinel = [&](const harness::SentinelSpec& one) {
    return one.master == host || one.promotes == host ||
           std::ranges::find(one.to_clients, host) != one.to_clients.end();
  };
  return std::ranges::any_of(scenario.faults, by_fault) || std::ranges::any_of(scenario.steps, by_step) ||
         std::ranges::any_of(scenario.sentinels, by_sentinel);
}

template <class Spec>
Spec nameless(Spec spec) {
  spec.name.clear();
  return spec;
}

Fault exchange_names(Fault fault, const std::string& a, const std::string& b) {
  const auto exchange = [&](std::string& name) {
    if (name == a || name == b) name = name == a ? b : a;
  };
  exchange(fault.target);
  exchange(fault.peer);
  for (std::string& client : fault.to_clients) exchange(client);
  if (fault.when) exchange(fault.when->actor);
  if (fault.when) exchange(fault.when->client);
  fault.line = 0;
  return fault;
}

/// The faults of the budget that name the host, in its order.
std::vector<Budget::Offer> offers_naming(const harness::Bounds& bounds, const std::string& host) {
  std::vector<Budget::Offer> offers;
  for (std::size_t entry = 0; entry < bounds.budget.size(); ++entry) {
    const std::vector<Fault>& forms = bounds.budget[entry].forms;
    for (std::size_t form = 0; form < forms.size(); ++form) {
      if (names(forms[form], host)) offers.push_back({entry, form});
    }
  }
  return offers;
}

}  // namespace

Kinds::Kinds(const Scenario& scenario, const harness::Bounds& bounds, const Sites& sites)
    : scenario_(scenario), bounds_(bounds), sites_(sites), exchanged_(sites.count()) {
  for (std::size_t site = 0; site < sites.count(); ++site) {
    std::size_t model = 0;
    while (model < site && !(models_[model] == model && alike(model, site))) ++model;
    models_.push_back(model);
    count_ += model == site;
  }
}

/// Notes what becomes of the budget's faults. Where the world asks which of several strikes, they stand in the budget's
/// order; so that the same answer means the same, it must be the order of their counterparts, too.
bool Kinds::alike(std::size_t model, std::size_t site) {
  if (sites_.is_client(model) != sites_.is_client(site)) return false;
  std::string a, b;
  if (sites_.is_client(site)) {
    if (harness::knows_names(scenario_)) return false;
    if (nameless(scenario_.clients[model]) != nameless(scenario_.clients[site])) return false;
    a = scenario_.clients[model].name;
    b = scenario_.clients[site].name;
  } else {
    const std::vector<int>&of_model = sites_.servers_of(model), &of_site = sites_.servers_of(site);
    const auto resource = static_cast<int>(scenario_.servers.size());
    if (of_model.size() != 1 || of_site.size() != 1 || of_site[0] == resource) return false;
    const harness::ServerSpec& one = scenario_.servers[static_cast<std::size_t>(of_model[0])];
    const harness::ServerSpec& other = scenario_.servers[static_cast<std::size_t>(of_site[0])];
    if (nameless(one) != nameless(other)) return false;
    a = one.name;
    b = other.name;
  }
  if (is_named(scenario_, a) || is_named(scenario_, b)) return false;
  const std::vector<Budget::Offer> of_model = offers_naming(bounds_, a), of_site = offers_naming(bounds_, b);
  std::map<Budget::Offer, Budget::Offer> exchanged;
  if (of_model.size() != of_site.size()) return false;
  for (std::size_t i = 0; i < of_model.size(); ++i) {
    const auto form = [&](const Budget::Offer& offer) { return bounds_.budget[offer.entry].forms[offer.form]; };
    const bool same_entry = of_model[i].entry == of_site[i].entry;
    if (!same_entry || exchange_names(form(of_model[i]), a, b) != exchange_names(form(of_site[i]), {}, {}))
      return false;
    exchanged[of_model[i]] = of_site[i];
    exchanged[of_site[i]] = of_model[i];
  }
  exchanged_[site] = std::move(exchanged);
  return true;
}

Budget::Offer Kinds::exchanged(std::size_t site, const Budget::Offer& offer) const {
  const auto other = exchanged_[site].find(offer);
  return other == exchanged_[site].end() ? offer : other->second;
}

}  // namespace lockproof::sim
