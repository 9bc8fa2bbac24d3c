// SPDX-License-Identifier: Apache-2.0
#include "real/supervisor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "harness/history/jsonl.hpp"
#include "real/host_ports.hpp"

namespace lockproof::real {
namespace {

using harness::Event;
using harness::HostIndex;
using harness::What;

constexpr std::int64_t start_after_ns = 5'000'000;      // time for the clients to wake up and wait for the start
constexpr std::int64_t connect_ns_max = 10'000'000'000;
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

}  // namespace

Supervisor::Supervisor(const harness::Scenario& scenario, const Options& options)
    : scenario_(scenario), options_(options), header_(header_of(scenario, options)) {}

/// What watches the loop goes before it. The loop itself comes late in the list of members, for the forks' sake.
Supervisor::~Supervisor() {
  faults_.reset();
  clients_.clear();
  resource_.reset();
  monitors_.clear();
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
  for (const auto& spec : scenario_.servers) {
    const std::int64_t wall_us = epoch_us + spec.clock.wall.count();
    servers_.push_back(std::make_unique<ServerProcess>(spec.name, janitor_, wall_us, scenario_.scale));
  }
  for (const auto& server : servers_) {
    server->await_ready();
    monitors_.push_back(std::make_unique<Monitor>(server->port()));
  }
  resource_ = std::make_unique<Resource>(janitor_.folder() + "/resource");
}

void Supervisor::start_clients() {
  std::vector<Endpoint> endpoints;
  for (const auto& server : servers_) endpoints.push_back({"127.0.0.1", server->port()});
  endpoints.push_back({resource_->path(), 0});
  for (std::size_t i = 0; i < scenario_.clients.size(); ++i) {
    const ClientSetup setup{scenario_, header_, options_, static_cast<int>(i), board_, endpoints, -1, -1};
    clients_.push_back(std::make_unique<ClientHandle>(setup, janitor_));
  }
}

void Supervisor::attach() {
  loop_ = std::make_unique<EventLoop>();
  for (const auto& monitor : monitors_) monitor->attach(*loop_);
  resource_->attach(*loop_, [this](pid_t pid, Command command, Reply reply) {
    const auto client = std::ranges::find(clients_, pid, [](const auto& c) { return c->process().pid(); });
    Event event{.what = What::execute};
    event.peer = static_cast<HostIndex>(client - clients_.begin());
    event.message = ++accesses_[event.peer];
    event.command = std::move(command);
    event.reply = std::move(reply);
    note(resource_host(), std::move(event));
  });

  std::vector<Target> targets;
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    const auto host = static_cast<HostIndex>(i);
    clients_[i]->attach(
        *loop_, [this, host](const Notice& notice) { hear(host, notice); }, [this, host] { client_ended(host); });
    targets.push_back({scenario_.clients[i].name, clients_[i]->process(), nullptr, &board_.shared().wall_jumped_us[i]});
  }
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    targets.push_back({scenario_.servers[i].name, servers_[i]->process(), &servers_[i]->clock(), nullptr});
  }
  faults_ = std::make_unique<FaultDriver>(*loop_, scenario_, std::move(targets),
                                          [this](HostIndex host, Event event) { note(host, std::move(event)); });
}

/// Once all clients are connected, scenario time starts for everybody at one instant.
void Supervisor::begin() {
  bool late = false;
  EventLoop::Timer give_up(*loop_, [&] { late = true; });
  give_up.set(machine_ns() + connect_ns_max);
  while (ready_ < clients_.size()) {
    loop_->turn();
    if (late) throw BadEnvironment("the clients cannot connect to their servers");
  }
  const std::int64_t start = machine_ns() + start_after_ns;
  time_ = WorldTime(start, scenario_.scale);
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    servers_[i]->clock().start(start, epoch_us + scenario_.servers[i].clock.wall.count(), scenario_.scale);
  }
  board_.shared().start_ns.store(start);
  for (const auto& client : clients_) client->answer();
  faults_->start(time_);
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
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    servers_[i]->process().go_on();
    // What clients have sent lies in the server's sockets. It reads a socket no later than one that got data after it,
    // so when the second mark has run, all of that has.
    for (const char* mark : {"lockproof-end-1", "lockproof-end-2"}) {
      if (servers_[i]->mark(mark)) monitors_[i]->read_until(mark);
    }
  }
}

void Supervisor::hear(HostIndex client, const Notice& notice) {
  switch (notice.kind) {
    case Notice::Kind::ready: ++ready_; return;
    case Notice::Kind::pauses: return faults_->stops_itself(client, Duration(notice.other));
    case Notice::Kind::woke: return faults_->woke(client);
    case Notice::Kind::crashes: return faults_->crashes(client);
    case Notice::Kind::strike:
      faults_->provoke(static_cast<std::size_t>(notice.number), Duration(notice.other));
      return clients_[static_cast<std::size_t>(client)]->answer();
    case Notice::Kind::failed:
      throw std::runtime_error(
          fmt::format("{}: {}", header_.hosts[static_cast<std::size_t>(client)].name, notice.text));
    case Notice::Kind::event:
    case Notice::Kind::connection: return;  // looked at in the end
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

void Supervisor::note(HostIndex host, Event event) {
  event.host = host;
  event.at = time_.now();
  event.clocks = clocks_of(host, event.at);
  events_.push_back({board_.next_sequence(), std::move(event)});
}

harness::Readings Supervisor::clocks_of(HostIndex host, Duration at) const {
  const auto index = static_cast<std::size_t>(host);
  if (host < first_server()) {
    const harness::ClockSpec& spec = scenario_.clients[index].clock;
    return readings(at, spec.wall + Duration(board_.shared().wall_jumped_us[index].load()), spec.mono);
  }
  if (host == resource_host()) return readings(at, {}, {});
  const std::size_t server = index - scenario_.clients.size();
  const std::int64_t shows_us = servers_[server]->clock().shows_us(time_.machine_at(at));
  return readings(at, Duration(shows_us - epoch_us) - at, scenario_.servers[server].clock.mono);
}

std::vector<Stamped> Supervisor::events_of(const ClientHandle& client) const {
  std::vector<Stamped> events;
  std::map<HostIndex, int> ports;  // of the connection to each server at that point
  for (const std::string& line : client.lines()) {
    const auto notice = notice_from(line);
    if (!notice) continue;
    if (notice->kind == Notice::Kind::connection) {
      ports[static_cast<HostIndex>(notice->number)] = static_cast<int>(notice->other);
      continue;
    }
    Stamped stamped{static_cast<std::uint64_t>(notice->number), harness::event_from(notice->text, header_)};
    if (stamped.event.what == What::send) stamped.port = ports[stamped.event.peer];
    events.push_back(std::move(stamped));
  }
  return events;
}

ServerLog Supervisor::log_of(std::size_t server) const {
  ServerLog log{first_server() + static_cast<HostIndex>(server), monitors_[server]->executions(), {}};
  for (const Execution& execution : log.executions) {
    const ClockPage& clock = servers_[server]->clock();
    log.at.push_back(time_.at(clock.machine_ns_of(execution.stamp_us, execution.received_ns)));
  }
  return log;
}

harness::History Supervisor::history() {
  std::vector<Stamped> noted = std::move(events_);
  for (const auto& client : clients_) std::ranges::move(events_of(*client), std::back_inserter(noted));
  std::vector<ServerLog> logs;
  for (std::size_t i = 0; i < servers_.size(); ++i) logs.push_back(log_of(i));

  harness::History history{header_, merge(std::move(noted), logs, end_)};
  for (Event& event : history.events) {
    const bool by_server = event.what == What::execute && event.host != resource_host();
    if (by_server) event.clocks = clocks_of(event.host, event.at);
  }
  Event end{.what = What::end};
  end.at = end_;
  end.word = word_;
  history.events.push_back(std::move(end));
  return history;
}

}  // namespace lockproof::real
