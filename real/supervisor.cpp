// SPDX-License-Identifier: Apache-2.0
#include "real/supervisor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "algorithms/scripts.hpp"
#include "harness/history/jsonl.hpp"
#include "real/faults.hpp"
#include "real/host_ports.hpp"

namespace lockproof::real {
namespace {

using harness::Event;
using harness::HostIndex;
using harness::What;

constexpr std::int64_t start_after_ns = 5'000'000;   // time for the clients to wake up and wait for the start
constexpr std::int64_t strike_ns_most = 50'000'000;  // time for the faults that strike at the start
constexpr std::int64_t connect_ns_max = 10'000'000'000;
constexpr std::int64_t look_ns = 1'000'000;
constexpr const char* node_stamps =
    "redis-server: MONITOR's stamp, by the server's own scaled wall clock, mapped back to scenario time and kept "
    "between the command's sending and its reply; the resource: scenario time";

harness::Header header_of(const harness::Scenario& scenario, const Options& options) {
  harness::Header header;
  header.world = "real";
  header.scenario = scenario.name;
  header.scenario_file = scenario.file;
  header.scenario_text = scenario.text;
  header.seed = options.seed;
  header.scale = scenario.scale;
  header.node_stamps = node_stamps;
  for (const auto& client : scenario.clients) header.hosts.push_back({client.name, harness::HostKind::client});
  for (const auto& server : scenario.servers) header.hosts.push_back({server.name, harness::HostKind::server});
  header.hosts.push_back({"resource", harness::HostKind::resource});
  return header;
}

/// What people call a command that was read off the wire: a script by its file.
std::string verb_of(const Command& command) {
  const bool script = command.verb() == "EVAL" && command.words().size() > 1;
  for (const Script& known : scripts::all) {
    if (script && command.words()[1].bytes() == known.text) return std::string(known.name);
  }
  return std::string(command.verb());
}

}  // namespace

Supervisor::Supervisor(const harness::Scenario& scenario, const Options& options)
    : scenario_(scenario), options_(options), header_(header_of(scenario, options)) {}

/// What watches the loop goes before it. The loop itself comes late in the list of members, for the forks' sake.
Supervisor::~Supervisor() {
  faults_.reset();
  clients_.clear();
  proxy_.reset();
  resource_.reset();
  for (const auto& server : servers_) server->detach();
}

harness::History Supervisor::run() {
  start_servers();
  start_clients();
  attach();
  begin();
  until_over();
  take_down();
  return history();
}

void Supervisor::start_servers() {
  if (needs_proxy(scenario_)) proxy_ = std::make_unique<Proxy>();
  for (const auto& spec : scenario_.servers) {
    servers_.push_back(std::make_unique<ServerHost>(spec, janitor_, scenario_.scale));
    triggers_.emplace_back(scenario_, spec.name);
  }
  for (const auto& server : servers_) server->await_ready();
  resource_ = std::make_unique<Resource>(janitor_.folder() + "/resource", scenario_.fencing);
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    const auto& specs = scenario_.servers;
    const auto master = std::ranges::find(specs, specs[i].replica_of, &harness::ServerSpec::name) - specs.begin();
    const auto host = first_server() + static_cast<HostIndex>(i);
    const bool linked = !specs[i].replica_of.empty();
    master_ports_.push_back(linked ? endpoint_of(static_cast<std::size_t>(master), host).port : 0);
  }
}

/// Where a client, or a replica, finds a server; the resource is the last.
Endpoint Supervisor::endpoint_of(std::size_t server, HostIndex client) {
  const HostIndex host = first_server() + static_cast<HostIndex>(server);
  if (host == resource_host()) {
    if (!proxy_) return {resource_->path(), 0};
    const auto index = static_cast<std::size_t>(client);
    const auto dial = [this, index] { return resource_->connect(clients_[index]->process().pid()); };
    return {"127.0.0.1", proxy_->listen(client, host, dial)};
  }
  const int port = servers_[server]->process().port();
  if (!proxy_) return {"127.0.0.1", port};
  return {"127.0.0.1", proxy_->listen(
                           client, host, [port] { return dial_port(port); }, client >= first_server())};
}

void Supervisor::start_clients() {
  std::vector<int> masters;
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    if (scenario_.servers[i].replica_of.empty()) masters.push_back(static_cast<int>(i));
  }
  for (std::size_t i = 0; i < scenario_.clients.size(); ++i) {
    auto& routes = board_.shared().route[i];
    for (std::size_t slot = 0; slot < std::size(routes); ++slot) {
      routes[slot].store(slot < masters.size() ? masters[slot] : -1);
    }
    std::vector<Endpoint> endpoints;
    for (std::size_t j = 0; j <= servers_.size(); ++j) endpoints.push_back(endpoint_of(j, static_cast<HostIndex>(i)));
    const ClientSetup setup{scenario_, header_, options_, static_cast<int>(i), board_, endpoints, masters, -1, -1};
    clients_.push_back(std::make_unique<ClientHandle>(setup, janitor_, [this] {
      if (proxy_) proxy_->disown();
    }));
  }
}

void Supervisor::attach() {
  loop_ = std::make_unique<EventLoop>();
  resource_->attach(*loop_, [this](pid_t pid, Command command, Reply reply) {
    const auto client = std::ranges::find(clients_, pid, [](const auto& c) { return c->process().pid(); });
    Event event{.what = What::execute};
    event.peer = static_cast<HostIndex>(client - clients_.begin());
    event.message = ++accesses_[event.peer];
    event.command = std::move(command);
    event.reply = std::move(reply);
    note(resource_host(), std::move(event));
  });
  if (proxy_) {
    proxy_->attach(*loop_, {[this](const Proxy::Message& message) { passes(message); },
                            [this](const Proxy::Message& message) { dropped(message); }});
  }
  Cast cast{{}, {}, board_, proxy_.get()};
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    const auto host = static_cast<HostIndex>(i);
    clients_[i]->attach(
        *loop_, [this, host](const Notice& notice) { hear(host, notice); }, [this, host] { client_ended(host); });
    cast.clients.push_back(clients_[i].get());
  }
  for (const auto& server : servers_) {
    server->attach(*loop_);
    cast.servers.push_back(server.get());
  }
  faults_ = std::make_unique<FaultDriver>(
      *loop_, scenario_, std::move(cast),
      [this](HostIndex host, Event event, const std::string& mark) { note(host, std::move(event), mark); },
      [this](std::int64_t due, std::int64_t now) { lateness_.add(harness::no_host, due, now); });
}

void Supervisor::link_replicas() {
  const std::int64_t give_up = machine_ns() + connect_ns_max;
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    if (master_ports_[i] == 0) continue;
    servers_[i]->replicate_from(master_ports_[i]);
    while (!servers_[i]->in_step()) {
      if (machine_ns() > give_up) throw BadEnvironment(scenario_.servers[i].name + " cannot follow its master");
      EventLoop::Timer tick(*loop_, [] {});
      tick.set(machine_ns() + look_ns);
      loop_->turn();
    }
  }
}

/// Once all clients are connected, scenario time starts for everybody at one instant.
void Supervisor::begin() {
  bool late = false;
  EventLoop::Timer give_up(*loop_, [&] { late = true; });
  give_up.set(machine_ns() + connect_ns_max);
  link_replicas();
  while (ready_ < clients_.size()) {
    loop_->turn();
    if (late) throw BadEnvironment("the clients cannot connect to their servers");
  }
  const bool strikes = std::ranges::any_of(scenario_.faults, strikes_at_start);
  const std::int64_t start = machine_ns() + start_after_ns + (strikes ? strike_ns_most : 0);
  time_ = WorldTime(start, scenario_.scale);
  for (const auto& server : servers_) {
    const bool loses_power = std::ranges::any_of(scenario_.faults, [&](const harness::Fault& fault) {
      return fault.kind == harness::FaultKind::power_cut && fault.target == server->spec().name;
    });
    server->start(time_, loses_power);
  }
  board_.shared().start_ns.store(start);
  faults_->start(time_);
  for (const auto& client : clients_) client->answer();
}

void Supervisor::until_over() {
  bool horizon = false;
  EventLoop::Timer limit(*loop_, [&] { horizon = true; });
  limit.set(time_.machine_at(scenario_.horizon));
  while (ended_ < clients_.size() && !horizon) loop_->turn();
  word_ = ended_ == clients_.size() ? "finished" : "horizon";
}

void Supervisor::take_down() {
  for (const auto& client : clients_) client->process().kill();
  for (const auto& client : clients_) client->read_rest();
  end_ = time_.now();
  // What clients have sent and the proxy has passed on is run; what it holds is not.
  for (const auto& server : servers_) {
    server->process().process().go_on();
    static_cast<void>(server->finish());
  }
}

void Supervisor::hear(HostIndex client, const Notice& notice) {
  switch (notice.kind) {
    case Notice::Kind::ready: ++ready_; return;
    case Notice::Kind::pauses: return faults_->stops_itself(client, Duration(notice.other));
    case Notice::Kind::woke: return faults_->woke(client);
    case Notice::Kind::crashes: return faults_->crashes(client);
    case Notice::Kind::strike:
      faults_->provoke(static_cast<std::size_t>(notice.number), Duration(notice.other),
                       struck_message_from(notice.text));
      return clients_[static_cast<std::size_t>(client)]->answer();
    case Notice::Kind::failed:
      throw std::runtime_error(
          fmt::format("{}: {}", header_.hosts[static_cast<std::size_t>(client)].name, notice.text));
    case Notice::Kind::event:
    case Notice::Kind::late:
    case Notice::Kind::sent: return;  // looked at in the end
  }
}

void Supervisor::client_ended(HostIndex client) {
  ++ended_;
  board_.leave(client);
  const bool expected = faults_->crashed(client) || !word_.empty();
  const auto trouble = clients_[static_cast<std::size_t>(client)]->process().trouble();
  if (trouble && !expected) {
    throw std::runtime_error(
        fmt::format("the process of {} {}", header_.hosts[static_cast<std::size_t>(client)].name, *trouble));
  }
}

/// A server's event: faults may be placed there.
void Supervisor::passes(const Proxy::Message& message) {
  if (message.server == resource_host()) return;
  harness::Triggers& triggers = triggers_.at(static_cast<std::size_t>(message.server - first_server()));
  if (triggers.none()) return;
  const auto client = static_cast<std::size_t>(message.client);
  const auto moment = message.reply ? harness::When::Moment::after : harness::When::Moment::before;
  const std::string verb = verb_of(message.command);
  const int round = board_.shared().round[client].load();
  for (const std::size_t fault : triggers.happens(moment, verb, scenario_.clients[client].name, round)) {
    faults_->provoke(fault, time_.now() + scenario_.faults[fault].delay,
                     {message.server, message.port, message.number});
  }
}

void Supervisor::dropped(const Proxy::Message& message) {
  Event event{.what = What::drop};
  event.peer = message.server;
  event.word = message.reply ? "reply" : "request";
  drops_.push_back(
      {{message.client, message.server, message.port, message.number}, stamped(message.client, std::move(event))});
}

Stamped Supervisor::stamped(HostIndex host, Event event) {
  event.host = host;
  event.at = std::max(time_.now(), Duration{});
  event.clocks = clocks_of(host, event.at);
  return {board_.next_sequence(), std::move(event)};
}

void Supervisor::note(HostIndex host, Event event, const std::string& mark) {
  Stamped noted = stamped(host, std::move(event));
  if (mark.empty()) {
    events_.push_back(std::move(noted));
  } else {
    marked_[host].emplace(mark, std::move(noted));
  }
}

harness::Readings Supervisor::clocks_of(HostIndex host, Duration at) const {
  const auto index = static_cast<std::size_t>(host);
  if (host < first_server()) {
    const harness::ClockSpec& spec = scenario_.clients[index].clock;
    const Duration ahead = board_.shared().drift[index].get().at(at);
    return readings(at, spec.wall + Duration(board_.shared().wall_jumped_us[index].load()) + ahead, spec.mono + ahead);
  }
  if (host == resource_host()) return readings(at, {}, {});
  return servers_[index - scenario_.clients.size()]->clocks(at);
}

std::vector<Stamped> Supervisor::events_of(HostIndex client) {
  std::vector<Stamped> events;
  int port = 0, number = 0;  // of the next send
  for (const std::string& line : clients_[static_cast<std::size_t>(client)]->lines()) {
    const auto notice = notice_from(line);
    if (!notice) continue;
    if (notice->kind == Notice::Kind::sent) {
      port = static_cast<int>(notice->other);
      std::from_chars(notice->text.data(), notice->text.data() + notice->text.size(), number);
      continue;
    }
    if (notice->kind == Notice::Kind::late) {
      lateness_.add(client, notice->number, notice->other);
      continue;
    }
    Stamped stamped{static_cast<std::uint64_t>(notice->number), harness::event_from(notice->text, header_)};
    if (stamped.event.what == What::send) {
      stamped.port = port;
      messages_[{client, stamped.event.peer, port, number}] = stamped.event.message;
    }
    events.push_back(std::move(stamped));
  }
  return events;
}

ServerLog Supervisor::log_of(std::size_t server) {
  const HostIndex host = first_server() + static_cast<HostIndex>(server);
  ServerLog log{host, servers_[server]->executions()};
  std::map<int, int> client_ports;  // a server sees the proxy's ends of its connections
  if (proxy_) {
    for (const auto& [connection, port] : proxy_->upstream_ports()) {
      if (connection.first == host) client_ports[port] = connection.second;
    }
  }
  for (Execution& execution : log.executions) {
    log.at.push_back(servers_[server]->at(execution));
    const auto known = client_ports.find(execution.port);
    if (known != client_ports.end()) execution.port = known->second;
  }
  log.marked = marked_[host];
  log.master_port = master_ports_[server];
  log.master = header_host(scenario_.servers[server].replica_of);
  return log;
}

/// A message that was swallowed is known by its place on its connection, until its sender says which it was.
void Supervisor::add_drops(std::vector<Stamped>& events) {
  for (auto& [place, drop] : drops_) {
    drop.event.message = messages_[place];
    events.push_back(std::move(drop));
  }
}

HostIndex Supervisor::header_host(const std::string& name) const {
  const auto found = std::ranges::find(header_.hosts, name, &harness::Host::name);
  return found == header_.hosts.end() ? harness::no_host : static_cast<HostIndex>(found - header_.hosts.begin());
}

harness::History Supervisor::history() {
  std::vector<Stamped> noted = std::move(events_);
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    std::ranges::move(events_of(static_cast<HostIndex>(i)), std::back_inserter(noted));
  }
  add_drops(noted);
  std::vector<ServerLog> logs;
  for (std::size_t i = 0; i < servers_.size(); ++i) logs.push_back(log_of(i));

  harness::History history{header_, merge(std::move(noted), logs, end_)};
  for (Event& event : history.events) {
    const bool by_log = event.what == What::execute || event.what == What::replicate || !event.effects.empty();
    if (by_log && event.host != resource_host()) event.clocks = clocks_of(event.host, event.at);
  }
  Event end{.what = What::end};
  end.at = end_;
  end.word = word_;
  history.events.push_back(std::move(end));
  history.header.late_us = lateness_.most_us(history, time_);
  return history;
}

}  // namespace lockproof::real
