// SPDX-License-Identifier: Apache-2.0
#include "real/services/redis/sentinels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace lockproof::real {

using harness::Event;
using harness::HostIndex;
using harness::What;

namespace {

constexpr std::int64_t answer_ns_most = 200'000'000;  // the message may be lost
constexpr std::int64_t tilt_ns = 2'000'000'000;

HostIndex first_sentinel(const harness::Scenario& scenario) {
  return static_cast<HostIndex>(scenario.clients.size() + scenario.servers.size()) + 1;
}

std::string source_of_sentinel(HostIndex sentinel) { return fmt::format("127.0.3.{}", sentinel + 1); }

int number_in(const std::string& text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

/// All of 127.0.0.0/8 is this machine: an address for each host identifies the caller.
std::string Sentinels::source_of_server(std::size_t server) { return fmt::format("127.0.2.{}", server + 1); }

Proxy::Callers Sentinels::callers(const harness::Scenario& scenario) {
  Proxy::Callers callers;
  for (std::size_t i = 0; i < scenario.servers.size(); ++i) {
    callers[source_of_server(i)] = {static_cast<HostIndex>(scenario.clients.size() + i), true};
  }
  HostIndex count = 0;
  for (const harness::SentinelSpec& spec : scenario.sentinels) count += spec.count;
  for (HostIndex i = 0; i < count; ++i) callers[source_of_sentinel(i)] = {first_sentinel(scenario) + i, false};
  return callers;
}

bool Sentinels::is_one(HostIndex host) const { return host >= first_sentinel(scenario_); }

Sentinels::Sentinels(const harness::Scenario& scenario, std::vector<RedisHost*> servers, Surroundings around,
                     std::string program)
    : scenario_(scenario), servers_(std::move(servers)), around_(std::move(around)), program_(std::move(program)) {
  HostIndex next = first_sentinel(scenario);
  const auto named = [&](const std::string& name) {
    const auto found = std::ranges::find(scenario.servers, name, &harness::ServerSpec::name);
    return first_server() + static_cast<HostIndex>(found - scenario.servers.begin());
  };
  for (const harness::SentinelSpec& spec : scenario.sentinels) {
    auto watch = std::make_unique<Watch>(Watch{&spec, named(spec.master), named(spec.promotes)});
    for (int i = 0; i < spec.count; ++i) watch->hosts.push_back(next++);
    watches_.push_back(std::move(watch));
  }
}

HostIndex Sentinels::first_server() const { return static_cast<HostIndex>(scenario_.clients.size()); }

RedisHost& Sentinels::server(HostIndex host) { return *servers_.at(static_cast<std::size_t>(host - first_server())); }

HostIndex Sentinels::host_at(int port) const {
  const auto found = std::ranges::find(around_.ports, port);
  return found == around_.ports.end() ? harness::no_host
                                      : first_server() + static_cast<HostIndex>(found - around_.ports.begin());
}

Sentinels::Watch* Sentinels::watch_of(HostIndex sentinel) {
  for (const auto& watch : watches_) {
    if (std::ranges::find(watch->hosts, sentinel) != watch->hosts.end()) return watch.get();
  }
  return nullptr;
}

void Sentinels::start_processes() {
  for (const auto& watch : watches_) {
    const auto replicas = std::ranges::count(scenario_.servers, watch->spec->master, &harness::ServerSpec::replica_of);
    for (std::size_t i = 0; i < watch->hosts.size(); ++i) {
      const SentinelProcess::Setup setup{fmt::format("sentinel-{}-of-{}", i + 1, watch->spec->master),
                                         source_of_sentinel(watch->hosts[i] - first_sentinel(scenario_)),
                                         around_.ports.at(static_cast<std::size_t>(watch->master - first_server())),
                                         static_cast<std::size_t>(replicas),
                                         scenario_.speedup,
                                         program_};
      watch->processes.push_back(std::make_unique<SentinelProcess>(setup, *watch->spec, around_.janitor));
      watch->processes.back()->attach(
          around_.loop,
          [this, at = watch.get()](const std::string& channel, const std::string& text) { told(*at, channel, text); });
    }
  }
}

void Sentinels::start(WorldTime time) {
  time_ = time;
  for (const auto& watch : watches_) watch->heard_ns = machine_ns();
}

bool Sentinels::ready() {
  bool all = true;
  for (const auto& watch : watches_) {
    for (const auto& process : watch->processes) all = process->ready() && all;
  }
  return all;
}

void Sentinels::kill() {
  for (const auto& watch : watches_) {
    for (const auto& process : watch->processes) process->kill();
  }
}

/// A server is turned by a transaction: SLAVEOF, and then CLIENT KILL of all clients.
void Sentinels::passes(const Proxy::Message& message) {
  Watch* const watch = watch_of(message.client);
  if (!watch) return;
  const Caller caller{message.client, message.server};
  const auto& words = message.command.args();
  if (message.reply) {
    if (message.server == watch->master) watch->heard_ns = machine_ns();
    if (message.command.verb() == "EXEC") has_run(caller);
  } else if (message.command.verb() == "SLAVEOF" && words.size() == 3) {
    announced_[caller] = number_in(words[2].bytes());  // "NO ONE": no port
  } else if (message.command.verb() == "EXEC" && announced_.contains(caller)) {
    const int port = announced_[caller];
    announced_.erase(caller);
    about_to_run(*watch, caller, port);
  }
}

/// Clients' commands wait until we see again what the server runs: it ends our own connections as well.
void Sentinels::about_to_run(Watch& watch, const Caller& caller, int port) {
  const HostIndex turned = caller.second;
  hold_clients(turned, true);
  const bool stands = around_.stands_still(turned);
  if (!stands) server(turned).finish();
  server(turned).follows(port);
  Order order{turned};
  if (port == 0 && turned == watch.other && !watch.demotes) {
    order.event = promotion(watch, turned);
  } else if (port != 0 && turned == watch.other && watch.demotes && host_at(port) == watch.master) {
    order.event = demotion(watch);
  }
  order.noted = order.event.what != What::strike;
  if (!order.noted && !stands) {
    around_.note(order.event.host, order.event);
    order.noted = true;
  }
  order.give_up = std::make_unique<EventLoop::Timer>(around_.loop, [this, caller] { has_run(caller); });
  order.give_up->set(machine_ns() + answer_ns_most);
  running_[caller] = std::move(order);
}

void Sentinels::has_run(const Caller& caller) {
  const auto found = running_.find(caller);
  if (found == running_.end()) return;
  Order order = std::move(found->second);
  running_.erase(found);
  if (!order.noted) around_.note(order.event.host, order.event);
  if (!around_.stands_still(order.server)) server(order.server).watch_anew();
  if (server(order.server).master_port() != 0) around_.copies(order.server);
  hold_clients(order.server, false);
}

void Sentinels::hold_clients(HostIndex server, bool on) {
  for (HostIndex client = 0; client < first_server(); ++client) around_.proxy.hold(client, server, on);
}

Event Sentinels::promotion(Watch& watch, HostIndex promoted) {
  Event event{.what = What::strike};
  event.host = watch.master;
  event.peer = promoted;
  event.word = "failover";
  event.value = (time_.now() - time_.at(watch.heard_ns)).count();
  std::swap(watch.master, watch.other);
  watch.demotes = true;
  return event;
}

/// The clients that did not know turn to the new master, since the old one ends their connections.
Event Sentinels::demotion(Watch& watch) {
  Event event{.what = What::strike};
  event.host = watch.other;
  event.peer = watch.master;
  event.word = "demotion";
  watch.demotes = false;
  turn_clients(watch, watch.other, watch.master, true);
  return event;
}

void Sentinels::told(Watch& watch, const std::string& channel, const std::string& text) {
  if (channel == "+tilt") around_.late(machine_ns() - tilt_ns, machine_ns());
  if (channel != "+switch-master") return;
  const int port = number_in(text.substr(text.rfind(' ') + 1));
  if (std::exchange(watch.turned_to, port) == port || host_at(port) != watch.master) return;
  turn_clients(watch, watch.other, watch.master, watch.spec->to_clients.empty() || around_.is_down(watch.other));
}

void Sentinels::turn_clients(Watch& watch, HostIndex from, HostIndex to, bool all) {
  const auto& named = watch.spec->to_clients;
  for (HostIndex client = 0; client < first_server(); ++client) {
    const std::string& name = scenario_.clients[static_cast<std::size_t>(client)].name;
    if (!all && std::ranges::find(named, name) == named.end()) continue;
    if (around_.lead(client, from, to)) around_.proxy.end_at_client(client, from);
  }
}

/// The sentinel runs beside one of the two, and the server that it listens for is the other one.
void Sentinels::cut(HostIndex one, HostIndex other, bool on) {
  const std::pair<HostIndex, HostIndex> between = std::minmax(one, other);
  if (!on) {
    const auto found = std::ranges::find(cuts_, between, &Cut::between);
    if (found == cuts_.end()) return;
    for (const Caller& link : found->links) hold(link, false);
    cuts_.erase(found);
    return;
  }
  Cut cut{between, {}};
  for (const auto& watch : watches_) {
    if (std::pair<HostIndex, HostIndex>(std::minmax(watch->master, watch->other)) != between) continue;
    for (const HostIndex sentinel : watch->hosts) cut.links.emplace_back(sentinel, watch->listens_for());
  }
  for (const Caller& link : cut.links) hold(link, true);
  cuts_.push_back(std::move(cut));
}

void Sentinels::hold(const Caller& link, bool on) {
  around_.proxy.hold(link.first, link.second, on);
  around_.proxy.hold(link.second, link.first, on);
}

}  // namespace lockproof::real
