// SPDX-License-Identifier: Apache-2.0
#include "real/run/supervisor.hpp"
#include "real/errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/input_error.hpp"
#include "real/client/faults.hpp"
#include "real/external/external_servers.hpp"
#include "real/external/link.hpp"
#include "real/external/same_user.hpp"
#include "real/external/sweep.hpp"
#include "real/run/client_process.hpp"

namespace lockproof::real {
namespace {

using harness::Event;
using harness::HostIndex;
using harness::What;

constexpr std::int64_t bound_look_ns = 50'000'000;

/// The remaining work when all clients have ended, in whatever way.
std::function<std::string()> last_act(const Options& options) {
  if (!options.external) return {};
  return [external = options.external] { return sweep(*external); };
}

}  // namespace

Supervisor::Supervisor(const harness::Scenario& scenario, const Options& options)
    : RealRun(scenario, options, last_act(options)) {
  header_.node_stamps = fmt::format("{}; the resource: scenario time",
                                    options.external ? driver_->stamps_of_external() : driver_->stamps());
  header_.sees_servers = !options.external;
}

/// Destroys what watches the loop before the loop.
Supervisor::~Supervisor() {
  faults_.reset();
  clients_.clear();
  resource_.reset();
}

harness::History Supervisor::run() {
  const bool watches = driver_->watched_at_proxy() && !options_.external;
  if (watches || needs_proxy(scenario_)) {
    proxy_ = std::make_unique<Proxy>(driver_->framing());
    proxy_->divide(resource_host(), resource_codec_);
  }
  if (proxy_ && options_.external) proxy_->let_in(is_of_this_user);
  if (!options_.external) start_servers();
  start_resource();
  start_clients();
  attach();
  begin();
  until_over();
  take_down();
  return history();
}

/// Sets up the resource, and the triggers of faults that are placed at servers' events.
void Supervisor::start_resource() {
  for (const harness::ServerSpec& server : scenario_.servers) triggers_.emplace_back(scenario_, server.name);
  triggers_.emplace_back(scenario_, "resource");
  resource_ = std::make_unique<Resource>(janitor_.folder() + "/resource", scenario_.fencing);
}

/// The address at which a client, or a replica, finds a server; the resource is the last.
Endpoint Supervisor::endpoint_of(std::size_t server, HostIndex client) {
  const HostIndex host = first_server() + static_cast<HostIndex>(server);
  if (host == resource_host()) {
    if (!proxy_) return {resource_->path(), 0};
    const auto index = static_cast<std::size_t>(client);
    const auto dial = [this, index](int port) { return resource_->connect(clients_[index]->process().pid(), port); };
    return {"127.0.0.1", proxy_->listen(client, host, dial)};
  }
  if (options_.external) {
    const Endpoint& there = options_.external->servers.at(server).endpoint;
    return proxy_ ? Endpoint{"127.0.0.1", proxy_->listen(client, host, [&there](int) { return dial(there); })} : there;
  }
  const int port = servers_[server]->port();
  if (!proxy_) return {"127.0.0.1", port};
  return {"127.0.0.1", proxy_->listen(
                           client, host, [port](int) { return dial_port(port); }, client >= first_server())};
}

/// Of an ensemble a client sees one server, which is now one and now another.
int Supervisor::first_member(std::size_t client) const {
  const auto first = std::ranges::find(scenario_.servers, scenario_.clients[client].server, &harness::ServerSpec::name);
  return first == scenario_.servers.end() ? 0 : static_cast<int>(first - scenario_.servers.begin());
}

void Supervisor::start_clients() {
  std::vector<int> masters;
  for (std::size_t i = 0; i < scenario_.servers.size(); ++i) {
    if (scenario_.servers[i].replica_of.empty()) masters.push_back(static_cast<int>(i));
  }
  const auto let_go = [this] {
    if (proxy_) proxy_->disown();
  };
  const auto body = [this](const std::vector<ClientSetup>& tasks) { return run_clients(tasks, *driver_); };
  clients_.resize(scenario_.clients.size());
  for (std::size_t i = 0; i < scenario_.clients.size(); ++i) {
    if (clients_[i]) continue;  // in the process of one before
    std::vector<ClientHandle::Member> members;
    const std::vector<std::size_t> tasks = scenario_.process_of(i);
    for (const std::size_t task : tasks) members.push_back(member(task, masters));
    std::vector<std::unique_ptr<ClientHandle>> started =
        ClientHandle::start(std::move(members), janitor_, let_go, body);
    for (std::size_t j = 0; j < tasks.size(); ++j) clients_[tasks[j]] = std::move(started[j]);
  }
}

ClientHandle::Member Supervisor::member(std::size_t client, const std::vector<int>& masters) {
  const std::vector<int> seen = scenario_.ensemble ? std::vector{first_member(client)} : masters;
  auto& routes = board_.shared().route[client];
  for (std::size_t slot = 0; slot < std::size(routes); ++slot) {
    routes[slot].store(slot < seen.size() ? seen[slot] : -1);
  }
  std::vector<Endpoint> endpoints;
  for (std::size_t j = 0; j <= scenario_.servers.size(); ++j) {
    endpoints.push_back(endpoint_of(j, static_cast<HostIndex>(client)));
  }
  auto ledger = std::make_unique<Ledger>();
  const ClientSetup setup{scenario_, options_, static_cast<int>(client), board_, *ledger, endpoints, seen};
  return {setup, std::move(ledger)};
}

void Supervisor::attach() {
  loop_ = std::make_unique<EventLoop>();
  resource_->attach(*loop_, [this](Resource::Access access) { accessed(std::move(access)); });
  if (proxy_) {
    Proxy::Observer observer{
        [this](const Proxy::Message& message) { passes(message); },
        [this](const Proxy::Message& message) { dropped(message); },
        [this](const Proxy::Message& message, std::string_view reply) { answered(message, reply); }};
    observer.ended = [this](HostIndex client, HostIndex server, int port) { ended(client, server, port); };
    proxy_->attach(*loop_, std::move(observer));
  }
  std::vector<StruckClient*> struck;
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    const auto host = static_cast<HostIndex>(i);
    clients_[i]->attach(
        *loop_, [this, host](const Notice& notice) { hear(host, notice); }, [this, host] { client_ended(host); });
    struck.push_back(clients_[i].get());
  }
  attach_servers(std::move(struck));
}

void Supervisor::add_effect(std::size_t event, harness::Effect effect) {
  events_[event].event.effects = {std::move(effect)};
}

bool Supervisor::lead(HostIndex client, HostIndex old, HostIndex promoted) {
  bool turns = false;
  for (std::atomic<int>& route : board_.shared().route[client]) {
    if (route.load() != old - first_server()) continue;
    route.store(promoted - first_server());
    turns = true;
  }
  return turns;
}

int Supervisor::port_for_replica(std::size_t server, HostIndex replica) { return endpoint_of(server, replica).port; }

/// Once all clients are connected, scenario time starts for all processes at one instant.
void Supervisor::begin() {
  link_servers();
  await([this] { return ready_ == clients_.size(); }, "the clients cannot connect to their servers");
  start_monitors();
  set_start();
  board_.shared().start_ns.store(time_.start_ns());
  faults_->start(time_);
  for (const auto& client : clients_) client->answer();
}

void Supervisor::until_over() {
  bool horizon = false;
  EventLoop::Timer limit(*loop_, [&] { horizon = true; });
  limit.set(time_.machine_at(scenario_.horizon));
  EventLoop::Timer look(*loop_, [&] { look.set(machine_ns() + bound_look_ns); });
  look.set(machine_ns() + bound_look_ns);
  while ((ended_ < clients_.size() || is_under_way()) && !horizon) {
    loop_->turn();
    must_go_on();
  }
  word_ = horizon ? "horizon" : "finished";
}

/// Whether a command of a client, which may have ended, is still to arrive: one that a fault holds back, or that lies
/// in front of a server that stands still.
bool Supervisor::is_under_way() {
  for (HostIndex i = 0; i < static_cast<HostIndex>(servers_.size()); ++i) {
    if (faults_->stands_still(first_server() + i)) return true;
  }
  return faults_->is_to_strike() || resource_->has_unread() || (proxy_ && proxy_->holds_requests_of(first_server()));
}

void Supervisor::take_down() {
  if (monitors_) monitors_->kill();
  for (const auto& client : clients_) client->process().kill();
  for (const auto& client : clients_) client->read_rest();
  end_ = time_.now();
  // Commands that the proxy has passed on are run; those that it holds are not.
  for (const auto& server : servers_) {
    server->child().go_on();
    static_cast<void>(server->finish());
  }
  if (word_ == "finished") end_ = time_.now();
}

void Supervisor::hear(HostIndex client, const Notice& notice) {
  switch (notice.kind) {
    case Notice::Kind::ready: ++ready_; return;
    case Notice::Kind::pauses:
      return faults_->stops_itself(client, static_cast<std::size_t>(notice.number), Duration(notice.other));
    case Notice::Kind::woke: return faults_->woke(client);
    case Notice::Kind::crashes: return faults_->crashes(client);
    case Notice::Kind::strike:
      faults_->trigger_fault(static_cast<std::size_t>(notice.number), Duration(notice.other),
                             struck_message_from(notice.text));
      return clients_[static_cast<std::size_t>(client)]->answer();
    case Notice::Kind::wrong: throw harness::InputError(std::string(notice.text));
    case Notice::Kind::lacks: throw BadEnvironment(fmt::format("{}: {}", name_of(client), notice.text));
    case Notice::Kind::failed: throw std::runtime_error(fmt::format("{}: {}", name_of(client), notice.text));
  }
}

const std::string& Supervisor::name_of(HostIndex host) const {
  return header_.hosts[static_cast<std::size_t>(host)].name;
}

void Supervisor::client_ended(HostIndex client) {
  ++ended_;
  board_.leave(client);
  const bool expected = faults_->crashed(client) || !word_.empty();
  const auto trouble = clients_[static_cast<std::size_t>(client)]->process().trouble();
  if (trouble && !expected) {
    throw std::runtime_error(fmt::format("the process of {} {}", name_of(client), *trouble));
  }
}

/// An event of a server or of the resource: faults may be placed there.
void Supervisor::passes(const Proxy::Message& message) {
  if (monitors_ && monitors_->is_one(message.client)) return monitors_->passes(message);
  harness::Triggers& triggers = triggers_.at(static_cast<std::size_t>(message.server - first_server()));
  if (triggers.none()) return;
  const auto client = static_cast<std::size_t>(message.client);
  const auto moment = message.reply ? harness::EventPlace::Moment::after : harness::EventPlace::Moment::before;
  const std::string verb = driver_->framing().name_of(message.command);
  const int round = board_.shared().round[client].load();
  for (const std::size_t fault : triggers.happens(moment, verb, scenario_.clients[client].name, round)) {
    faults_->trigger_fault(fault, time_.now() + scenario_.faults[fault].delay,
                           {message.server, message.port, message.number});
  }
}

/// For services whose evidence is derived from messages at the proxy.
void Supervisor::answered(const Proxy::Message& message, std::string_view reply) {
  const HostIndex server = message.server - first_server();
  if (server < 0 || server >= static_cast<HostIndex>(servers_.size()) || message.client >= first_server()) return;
  servers_[static_cast<std::size_t>(server)]->answered(message, reply);
}

void Supervisor::ended(HostIndex client, HostIndex host, int port) {
  const HostIndex server = host - first_server();
  if (server < 0 || server >= static_cast<HostIndex>(servers_.size()) || client >= first_server()) return;
  servers_[static_cast<std::size_t>(server)]->ended(port);
}

void Supervisor::dropped(const Proxy::Message& message) {
  Event event{.what = What::drop};
  event.peer = message.server;
  event.word = message.reply ? "reply" : "request";
  carried_.push_back(
      {{message.client, message.server, message.port, message.number}, stamped(message.client, std::move(event))});
}

/// Through the proxy a command may arrive after one that was sent later on another connection.
void Supervisor::accessed(Resource::Access access) {
  const auto client = std::ranges::find(clients_, access.client, [](const auto& c) { return c->process().pid(); });
  Event event{.what = What::execute};
  event.peer = static_cast<HostIndex>(client - clients_.begin());
  event.command = std::move(access.command);
  event.reply = std::move(access.reply);
  if (access.port == 0) {
    event.message = ++accesses_[event.peer];
    note(resource_host(), std::move(event), {});
    return;
  }
  carried_.push_back({{event.peer, resource_host(), access.port, access.number}, stamped(resource_host(), event)});
}

}  // namespace lockproof::real
