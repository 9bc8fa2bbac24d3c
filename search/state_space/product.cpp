// SPDX-License-Identifier: Apache-2.0
#include "search/state_space/product.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "harness/scenario/fault_table.hpp"
#include "harness/scenario/names.hpp"
#include "search/automata/executed_host.hpp"
#include "search/automata/renamed_host.hpp"
#include "search/reduction/commuting_chooser.hpp"

namespace lockproof::sim {

using harness::Fault;
using harness::FaultKind;

namespace {

/// Reaches others, in the words of the table of faults.
template <class Faults>
bool any_reaches(const Faults& faults) {
  return std::ranges::any_of(faults, [](const auto& fault) { return reaches_others(fault.kind); });
}

/// The reason for which an event of another site cannot place this fault here; empty: it can.
std::string refusal_of_place(const harness::Scenario& scenario, const Sites& sites, const Fault& fault) {
  if (!fault.when) return "";
  const auto host = [&](const std::string& name) {
    const auto client = std::ranges::find(scenario.clients, name, &harness::ClientSpec::name);
    if (client != scenario.clients.end()) return static_cast<std::size_t>(client - scenario.clients.begin());
    const auto server = std::ranges::find(scenario.servers, name, &harness::ServerSpec::name);
    return sites.of_server(static_cast<int>(server - scenario.servers.begin()));
  };
  const std::size_t actor = host(fault.when->actor);
  const bool breaks_there = fault.kind == FaultKind::break_connection && fault.when->actor == fault.peer;
  if (actor == host(fault.target) || breaks_there) return "";
  const bool ends = fault.kind == FaultKind::crash || fault.kind == FaultKind::kill_task;
  if (ends && sites.is_client(actor) && fault.delay == Duration{})
    return "a client that ends at another one's event";  // what that has done by then is judged after the end
  const auto is_there = [&](const Fault& other) { return other.when && other.when->actor == fault.when->actor; };
  if (harness::row_of(fault.kind).of_message && std::ranges::count_if(scenario.faults, is_there) > 1)
    return "a fault of an answer, and another one at its server's events";
  if (fault.kind == FaultKind::failover && sites.is_client(actor) && fault.delay == Duration{}) {
    return "a failover placed by a client's event, without a delay";  // the client turns in the midst of its own step
  }
  return "";
}

constexpr const char* passes_sessions = "a pool that passes a session from one client to another";

}  // namespace

std::string Product::refusal(const harness::Scenario& scenario, const harness::Bounds& bounds) {
  if (scenario.clients.size() > token_clients) return fmt::format("more than {} clients", token_clients);
  if (scenario.servers.size() > most_servers) return fmt::format("more than {} servers", most_servers);
  if (scenario.shares_processes()) return "clients that are tasks of one process";
  if (scenario.has_several_locks()) return "locks of several names";
  const auto changes_mode = [](const harness::ClientSpec& client) { return client.plan.modes.size() > 1; };
  if (std::ranges::any_of(scenario.clients, changes_mode)) return "a mode for each round";
  const Sites sites(scenario);
  for (const Fault& fault : scenario.faults) {
    if (fault.kind == FaultKind::client_pause) return "a client-pause";
    if (!fault.session.empty()) return passes_sessions;
    if (std::string why = refusal_of_place(scenario, sites, fault); !why.empty()) return why;
  }
  for (const harness::BudgetedFault& entry : bounds.budget) {
    if (entry.kind == FaultKind::client_pause && !entry.forms.empty()) return "a client-pause";
    const auto passes = [](const Fault& form) { return !form.session.empty(); };
    if (std::ranges::any_of(entry.forms, passes)) return passes_sessions;
  }
  return "";
}

Product::Product(const harness::Scenario& scenario, const harness::Bounds& bounds, ModelFactory& models,
                 ClockDetail detail, Reductions reductions, std::size_t live_hosts)
    : shared_{.scenario = scenario, .bounds = bounds, .models = models, .live_hosts = live_hosts, .detail = detail},
      reductions_(reductions), monitor_states_(shared_),
      messages_take_time_(scenario.network.latency.least > Duration{} &&
                          scenario.network.replication.least > Duration{} && scenario.sentinels.empty() &&
                          std::ranges::none_of(scenario.faults, strikes_elsewhere_at_once)),
      budget_reaches_(any_reaches(bounds.budget)), budget_ends_connections_(ends_connections(bounds)),
      clients_(shared_.sites.clients()), servers_(shared_.sites.servers()), host_count_(shared_.sites.count()),
      budget_column_(host_count_), watch_column_(budget_column_ + 1),
      column_count_(watch_column_ + monitor_states_.count()), wide_budget_(host_count_ + clients_ * servers_),
      links_(shared_.letters), shapes_(servers_ + 1), asking_(scenario, &bounds), symmetry_(scenario, bounds),
      symmetric_states_(symmetry_, shared_, hosts_, links_, groups_, monitor_states_),
      naming_(shared_, hosts_, links_, groups_) {
  CanonicalMessage gone{.reply = Reply::nil(), .reset = true};
  reset_message_ = shared_.letters.add(gone);
  end_ = shared_.events.end(true);
  cut_off_ = shared_.events.end(false);
  for (std::size_t i = 0; i < host_count_; ++i) {
    const std::size_t model = shared_.kinds.model_of(i);
    if (model == i) hosts_.push_back(std::make_unique<ExecutedHost>(shared_, i));
    if (model != i) hosts_.push_back(std::make_unique<RenamedHost>(shared_, *hosts_[model], i));
  }
  for (std::size_t i = 0; i < clients_; ++i)
    groups_.push_back(std::make_unique<Groups>(*hosts_[i], links_, servers_, shapes_));
}

std::size_t Product::host_named(const std::string& name) const {
  for (std::size_t i = 0; i < clients_; ++i) {
    if (shared_.scenario.clients[i].name == name) return i;
  }
  for (std::size_t i = 0; i + 1 < servers_; ++i) {
    if (shared_.scenario.servers[i].name == name) return server_column(static_cast<int>(i));
  }
  throw std::logic_error("a fault without a host");
}

std::vector<Product::Tuple> Product::initial() {
  // The same order as in the world: one fault after the other, in the order of the budget.
  struct BudgetPrefix {
    Wide wide;
    std::size_t first;
    Choices choices;
  };
  Wide plain(wide_budget_ + 1, 0);
  std::fill_n(plain.begin() + static_cast<std::ptrdiff_t>(host_count_), clients_ * servers_, Links::initial);
  plain[wide_budget_] = Budgets::nothing;
  std::vector<int> most;
  for (const harness::BudgetedFault& entry : shared_.bounds.budget) most.push_back(entry.most);
  used_up_ = shared_.budgets.add(most);
  std::vector<Tuple> all;
  std::vector<Id> own;
  const auto narrow = [&](const Wide& wide) {
    Tuple tuple(column_count_, 0);
    for (std::size_t i = 0; i < clients_; ++i) {
      parts(wide, i, own);
      tuple[i] = groups_[i]->add(own.data());
    }
    for (std::size_t i = clients_; i < host_count_; ++i) tuple[i] = wide[i];
    tuple[budget_column_] = wide[wide_budget_];
    return tuple;
  };
  all.push_back(narrow(plain));
  std::vector<BudgetPrefix> open{{plain, 0, {}}};
  while (!open.empty()) {
    const BudgetPrefix from = std::move(open.back());
    open.pop_back();
    const Id spent = from.wide[wide_budget_];
    Budget budget(shared_.scenario, &shared_.bounds);
    budget.resume(shared_.budgets.at(spent));
    const std::vector<Budget::Offer> offers = budget.initial_offers(from.first);
    Choices& asked = starts_[narrow(from.wide)] = from.choices;
    if (!offers.empty()) asked.push_back(0);
    std::uint16_t number = 0;
    for (const Budget::Offer& offer : offers) {
      const std::size_t host = host_named(shared_.bounds.budget[offer.entry].forms[offer.form].target);
      Input input{
          .kind = Input::Kind::struck, .n = static_cast<int>(offer.entry), .peer = static_cast<int>(offer.form)};
      const Id rest = shared_.budgets.rest(spent);
      input.budget = shared_.budgets.at(rest);
      BudgetPrefix to{from.wide, offer.entry, from.choices};
      to.choices.push_back(++number);
      const Outcome& outcome =
          hosts_[host]
              ->step(from.wide[host],
                     Host::key(from.wide[host], {.kind = input.kind, .n = input.n, .peer = input.peer}, 0, rest), input)
              .front();
      to.wide[host] = outcome.state;
      to.wide[wide_budget_] = shared_.budgets.after(spent, outcome.used);
      all.push_back(narrow(to.wide));
      open.push_back(std::move(to));
    }
  }
  return all;
}

const Choices& Product::start_of(const Tuple& initial) const { return starts_.at(initial); }

Product::Tuple Product::largest() const {
  Tuple sizes;
  for (const auto& groups : groups_) sizes.push_back(static_cast<Id>(groups->size()));
  for (std::size_t i = clients_; i < host_count_; ++i) sizes.push_back(static_cast<Id>(hosts_[i]->size()));
  sizes.push_back(shared_.budgets.size());
  for (std::size_t i = 0; i < monitor_states_.count(); ++i) {
    sizes.push_back(static_cast<Id>(monitor_states_.at(i).size()));
  }
  for (Id& size : sizes) --size;
  return sizes;
}

void Product::parts(const Wide& wide, std::size_t client, std::vector<Id>& into) const {
  into.assign(1, wide[client]);
  const auto links = wide.begin() + static_cast<std::ptrdiff_t>(host_count_ + client * servers_);
  into.insert(into.end(), links, links + static_cast<std::ptrdiff_t>(servers_));
}

bool Product::quiet(const Tuple& tuple) const {
  for (std::size_t i = 0; i < clients_; ++i) {
    const Group& client = groups_[i]->at(tuple[i]);
    if (!client.over && !client.wants) return false;
  }
  return true;
}

/// Once nothing happens any more, leases run out.
std::string Product::remains(const Tuple& tuple, bool ended) const {
  std::string all(1, quiet(tuple) ? 'q' : 's');
  for (std::size_t i = clients_; i < host_count_; ++i) all += hosts_[i]->traits(tuple[i]).remains[!ended];
  return all;
}

RoundCoverage Product::rounds() const {
  const RoundCoverage& worked_out = shared_.events.rounds();
  RoundCoverage all;
  all.fenced = worked_out.fenced;
  for (std::size_t client = 0; client < clients_; ++client) {
    const auto model = static_cast<harness::HostIndex>(shared_.kinds.model_of(client));
    const auto take = [&](const std::set<RoundCoverage::Round>& from, std::set<RoundCoverage::Round>& into) {
      for (const auto& [host, number] : from) {
        if (host == model) into.insert({static_cast<harness::HostIndex>(client), number});
      }
    };
    take(worked_out.begun, all.begun);
    take(worked_out.granted, all.granted);
  }
  return all;
}

std::uint64_t Product::bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& groups : groups_) bytes += groups->bytes();
  return bytes;
}

}  // namespace lockproof::sim
