// SPDX-License-Identifier: Apache-2.0
#include "sim/world/world.hpp"

#include <algorithm>
#include <utility>

#include "harness/input_error.hpp"
#include "sim/world/undo.hpp"

namespace lockproof::sim {

using harness::EventPlace;
using harness::HostIndex;
using harness::What;

World::World(const harness::Scenario& scenario, Chooser& chooser, Options options)
    : scenario_(scenario), chooser_(chooser), options_(std::move(options)),
      own_models_(options_.models ? nullptr : std::make_unique<ModelFactory>()),
      models_(options_.models ? *options_.models : *own_models_), budget_(scenario, options_.budget),
      asking_(scenario, options_.budget), over_at_most_ms_(over_at_most_ms(scenario, options_.budget)),
      faults_(scenario.faults.begin(), scenario.faults.end()) {
  add_hosts();
  add_sentinels();
  add_ensemble();
  if (WhoseLock::is_asked(scenario)) whose_lock_.emplace(history_.header, scenario);
  for (std::size_t i = 0; i < scenario.clients.size(); ++i) {
    processes_.push_back(std::make_unique<Process>(*this, static_cast<HostIndex>(i)));
  }
  for (std::size_t i = 0; i < scenario.faults.size(); ++i) {
    if (scenario.faults[i].at) plan({*scenario.faults[i].at, i, false});
  }
  if (!options_.runs_elsewhere) offer_faults_at_start();  // isolated hosts are told what holds from the start
}

World::~World() = default;

ReplicatedModel& Server::as_replicated() const {
  ReplicatedModel* const found = model->replication();
  if (!found) throw std::logic_error("a replica of a service that has none");
  return *found;
}

EnsembleModel& Server::as_member() const {
  EnsembleModel* const found = model->ensemble();
  if (!found) throw std::logic_error("an ensemble of a service that has none");
  return *found;
}

void World::add_hosts() {
  harness::Header& header = history_.header;
  header.world = "simulated";
  header.scenario = scenario_.name;
  header.scenario_file = scenario_.file;
  header.scenario_text = scenario_.text;
  header.seed = scenario_.seed;
  header.node_stamps = "world time: the simulator knows when a server ran a command";
  header.sees_servers = !scenario_.program || scenario_.program->known_key.is_known();
  header.permits = scenario_.permits();
  for (const auto& client : scenario_.clients) header.hosts.push_back({client.name, harness::HostKind::client});
  const auto add_server = [&](std::unique_ptr<ServiceModel> model, const harness::ClockSpec& clock) {
    const std::string& name = header.hosts.back().name;
    servers_.push_back(std::make_unique<Server>(
        Server{.name = name, .model = std::move(model), .clocks = HostClocks(clock), .triggers = {scenario_, name}}));
  };
  for (std::size_t i = 0; i < scenario_.servers.size(); ++i) {
    header.hosts.push_back({scenario_.servers[i].name, harness::HostKind::server});
    add_server(models_.make(scenario_, i), scenario_.servers[i].clock);
  }
  for (std::size_t i = 0; i < scenario_.servers.size(); ++i) {
    servers_[i]->master = history_.host_named(scenario_.servers[i].replica_of);
    listens_ = listens_ || scenario_.servers[i].min_replicas_to_write > 0;
    if (servers_[i]->master == harness::no_host) continue;
    servers_[i]->linked = true;
    servers_[i]->as_replicated().set_replica(true);
    server_at(servers_[i]->master).as_replicated().follow(first_server() + static_cast<HostIndex>(i));
  }
  header.hosts.push_back({"resource", harness::HostKind::resource});
  add_server(std::make_unique<Resource>(scenario_.fencing), {});
}

bool World::step() {
  if (ended_) return false;
  collect();
  if (asking_.applies() && somebody_asks()) {
    ++events_;
    listen_to_servers();
    return true;
  }
  if (candidates_.empty() || next_ > scenario_.horizon) {
    ended_ = true;
    harness::Event end{.what = What::end};
    end.word = candidates_.empty() ? "finished" : "horizon";
    if (!candidates_.empty()) now_ = scenario_.horizon;
    end.at = now_;
    if (options_.record) history_.events.push_back(std::move(end));
    return false;
  }
  now_ = next_;
  look_at_ended_cuts();
  const std::size_t chosen =
      chooser_.first_of(candidates_.size(), [this](std::size_t i) { return name_of(candidates_[i]); });
  const Candidate candidate = candidates_[chosen];
  count_event(candidate);
  perform(candidate);
  listen_to_servers();
  return true;
}

void World::listen_to_servers() {
  if (listens_) listen();
  listen_for_masters();
}

/// An event due in a thousand years, such as a timer of a clock that stands still, is never due.
void World::offer(Duration at, Candidate candidate) {
  constexpr Duration never{std::int64_t{1} << 55};
  if (at >= never) return;
  at = std::max(at, now_);  // an event that fell due during a pause happens at once
  if (candidates_.empty() || at < next_) {
    next_ = at;
    candidates_.clear();
  } else if (at > next_) {
    return;
  }
  candidates_.push_back(candidate);
}

/// Only the first message of each line can arrive, so a line keeps its order whatever is chosen.
void World::collect() {
  candidates_.clear();
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    offer(plans_[i].at, {plans_[i].heals ? Candidate::Kind::heal : Candidate::Kind::strike, i});
  }
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    Connection& connection = *connections_[i];
    if (!connection.requests.empty()) {
      offer(arrival(connection.requests.next(), connection.client, connection.server), {Candidate::Kind::request, i});
    }
    if (!connection.replies.empty()) {
      offer(arrival(connection.replies.next(), connection.server, connection.client), {Candidate::Kind::reply, i});
    }
  }
  offer_servers();
  offer_sentinels();
  offer_election();
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    HostClocks& clocks = processes_[i]->clocks();
    processes_[i]->each_timer([&](Mono due, Timer timer) {
      offer(clocks.when(due), {Candidate::Kind::timer, i, timer});
    });
  }
}

World::DueEvent World::candidate(std::size_t i) const {
  const Candidate& c = candidates_.at(i);
  switch (c.kind) {
    case Candidate::Kind::request:
    case Candidate::Kind::reply: {
      const Connection& over = *connections_[c.index];
      const bool reply = c.kind == Candidate::Kind::reply;
      const bool undoes = !reply && (over.requests.next().hang_up || may_undo(over.requests.next().command));
      return {true, reply, over.client, over.server - first_server(), harness::no_host, undoes};
    }
    case Candidate::Kind::word: return {.host = servers_[c.index]->master};
    case Candidate::Kind::unblock:
    case Candidate::Kind::serve:
    case Candidate::Kind::election:
    case Candidate::Kind::replication: return {.host = first_server() + static_cast<HostIndex>(c.index)};
    case Candidate::Kind::timer: return {.host = static_cast<HostIndex>(c.index)};
    case Candidate::Kind::sentinel: return {.host = sentinels_[c.index].master};
    case Candidate::Kind::strike:
    case Candidate::Kind::heal: break;
  }
  return {.host = history_.host_named(faults_[plans_[c.index].fault].target)};
}

bool World::only_buffers(std::size_t i) const {
  const Candidate& c = candidates_.at(i);
  if (c.kind != Candidate::Kind::reply) return false;
  const Connection& over = *connections_[c.index];
  return processes_[static_cast<std::size_t>(over.client)]->only_buffers(over, over.replies.next());
}

void World::perform(const Candidate& candidate) {
  switch (candidate.kind) {
    case Candidate::Kind::request: {
      Connection& connection = *connections_[candidate.index];
      deliver({&connection, connection.requests.take(), false});
      return;
    }
    case Candidate::Kind::reply: {
      Connection& connection = *connections_[candidate.index];
      Message reply = connection.replies.take();
      processes_[static_cast<std::size_t>(connection.client)]->arrive(connection, std::move(reply));
      return forget_closed();
    }
    case Candidate::Kind::replication: return apply(candidate.index);
    case Candidate::Kind::word: return hear(candidate.index);
    case Candidate::Kind::unblock: return unblock(first_server() + static_cast<HostIndex>(candidate.index));
    case Candidate::Kind::serve: return serve(*candidate.waits);
    case Candidate::Kind::timer: return processes_[candidate.index]->fire(candidate.timer);
    case Candidate::Kind::sentinel: return decide(candidate.index);
    case Candidate::Kind::election: return look_at_ensemble();
    case Candidate::Kind::strike:
    case Candidate::Kind::heal: {
      const PlannedFault plan = plans_[candidate.index];
      plans_.erase(plans_.begin() + static_cast<std::ptrdiff_t>(candidate.index));
      return plan.heals ? heal(plan.fault) : strike(plan.fault);
    }
  }
}

Connection& World::connect(HostIndex client, HostIndex server) {
  connections_.push_back(std::make_unique<Connection>(Connection{client, server, ++connections_made_, {}, {}}));
  return *connections_.back();
}

void World::forget_closed() {
  std::erase_if(connections_, [&](const auto& connection) {
    if (!connection->closed || !connection->requests.empty() || !connection->replies.empty()) return false;
    Server& server = server_of(*connection);
    if (holds_something_of(server, *connection) || server.model->remembers(connection->number)) return false;
    server.model->disconnected(connection->number);
    return !processes_[static_cast<std::size_t>(connection->client)]->has_unseen_of(*connection);
  });
}

bool World::holds_something_of(const Server& server, const Connection& connection) {
  const auto of_it = [&](const auto& held) { return held == &connection; };
  return is_among(server.inbox, connection) || is_among(server.held, connection) ||
         std::ranges::any_of(server.waiting, of_it, &std::pair<Connection*, Message>::first) ||
         std::ranges::any_of(server.outbox, of_it, &std::pair<Connection*, Message>::first);
}

bool World::has_given_up_program() const {
  return std::ranges::any_of(processes_, [](const auto& process) { return process->program_is_given_up(); });
}

Server& World::server_of(const Connection& connection) { return server_at(connection.server); }

Server& World::server_at(HostIndex host) { return *servers_[static_cast<std::size_t>(host - first_server())]; }

Duration World::latency(const Connection& connection, const Message& message) {
  const harness::Window& window = scenario_.network.latency;
  if (window.most == window.least) return window.least;
  return chooser_.duration(window, scenario_.grid, [&](std::size_t) { return name_of(connection, message); });
}

void World::send(Connection& connection, Message message) {
  if (connection.requests.loses(message)) return note_drop(connection, message.number, "request");
  const Duration way = latency(connection, message);
  if (connection.reset) return note_drop(connection, message.number, "request");
  connection.requests.push(std::move(message), now_ + way);
}

void World::deliver(Server::UnreadRequest unseen, bool is_oldest) {
  Server& server = server_of(*unseen.connection);
  const bool end = unseen.request.hang_up;
  const bool waits = server.pauses > 0 || (!is_oldest && is_among(server.inbox, *unseen.connection));
  if (end && (unseen.connection->reset || server.down)) return;
  if (end && !waits && !holds_back(server, *unseen.connection)) return end_connection(*unseen.connection);
  if (end) return put_behind(waits ? server.inbox : server.held, std::move(unseen));
  if (unseen.connection->reset) return note_drop(*unseen.connection, unseen.request.number, "request");
  if (server.down) return refuse(*unseen.connection, std::move(unseen.request));
  if (waits) return put_behind(server.inbox, std::move(unseen));
  if (!std::exchange(unseen.announced, true)) {
    server_happens(EventPlace::Moment::before, *unseen.connection, unseen.request);
    if (unseen.connection->reset) return note_drop(*unseen.connection, unseen.request.number, "request");
  }
  if (server.pauses == 0) return execute(*unseen.connection, std::move(unseen.request));
  const auto behind = std::ranges::find(server.inbox, unseen.connection, &Server::UnreadRequest::connection);
  server.inbox.insert(behind, std::move(unseen));
}

bool World::is_among(const std::vector<Server::UnreadRequest>& waiting, const Connection& connection) {
  return std::ranges::find(waiting, &connection, &Server::UnreadRequest::connection) != waiting.end();
}

/// What a model lacks says nothing about a lock. Throws harness::InputError of a lock in Lua.
void World::report_lack(const std::string& lack) const {
  if (scenario_.program && scenario_.program->in_virtual_time.programs) {
    scenario_.program->in_virtual_time.programs->add_lack(lack);
  } else if (scenario_.algorithm && !scenario_.algorithm->file.empty()) {
    throw harness::InputError(std::string(scenario_.algorithm->file), 0, lack);
  }
}

void World::execute(Connection& connection, Message message) {
  Server& server = server_of(connection);
  if (holds_back(server, connection)) return put_behind(server.held, {&connection, std::move(message), true});
  look_at_followers(connection.server);
  NodeAnswer executed = server.model->execute({connection.number, message.command, time_of(server), connection.client});
  if (!executed.lacks.empty()) report_lack(executed.lacks);
  if (executed.reads_instant) read_clocks(ClockDetail::instant);
  if (executed.refuses) return refuse(connection, std::move(message));
  if (executed.postponed) return put_behind(server.held, {&connection, std::move(message), true});
  if (executed.waits) {
    server.waiting.emplace_back(&connection, std::move(message));
    std::vector<Command> commands = std::move(executed.propagated);
    if (!commands.empty()) server.model->persist(now_);
    if (executed.asks_replicas) commands.push_back(Command({"REPLCONF", "GETACK", "*"}));
    return replicate(connection.server, std::move(commands));
  }
  finish(connection, std::move(message), std::move(executed));
  if (!server.held.empty() && !server.model->postpones()) unblock(connection.server);
}

void World::note_drop(const Connection& connection, int number, const char* what) {
  if (!options_.record) return;
  harness::Event event{.what = What::drop};
  event.peer = connection.server;
  event.message = number;
  event.word = what;
  note(connection.client, clocks(connection.client), std::move(event));
}

void World::note(HostIndex host, const HostClocks& clocks, harness::Event event) {
  if (!is_noted()) return;
  event.host = host;
  event.at = now_;
  event.clocks = clocks.at(now_);
  name_as_the_lock(event.effects);
  if (whose_lock_ && event.what != What::strike) whose_lock_->see(event);  // a strike once it has changed something
  if (!options_.record) return;
  history_.events.push_back(std::move(event));
}

HostClocks& World::clocks(HostIndex host) { return const_cast<HostClocks&>(clocks_of(host)); }

const HostClocks& World::clocks_of(HostIndex host) const {
  if (host < first_server()) return processes_[static_cast<std::size_t>(host)]->clocks();
  return servers_[static_cast<std::size_t>(host - first_server())]->clocks;
}

harness::EventName World::name_of(const Connection& connection, const Message& message) const {
  const bool request = !message.reply;
  return {.kind = harness::EventName::Kind::message,
          .actor = name(request ? connection.client : connection.server),
          .peer = name(request ? connection.server : connection.client),
          .verb = std::string(message.command.verb()),
          .occurrence = message.occurrence,
          .round = message.round};
}

harness::EventName World::name_of(const Candidate& candidate) const {
  using Kind = harness::EventName::Kind;
  switch (candidate.kind) {
    case Candidate::Kind::request:
      return name_of(*connections_[candidate.index], connections_[candidate.index]->requests.next());
    case Candidate::Kind::reply:
      return name_of(*connections_[candidate.index], connections_[candidate.index]->replies.next());
    case Candidate::Kind::replication: {
      const Server& replica = *servers_[candidate.index];
      const Message& message = replica.replication.next();
      return {.kind = Kind::message,
              .actor = name(replica.master),
              .peer = name(first_server() + static_cast<HostIndex>(candidate.index)),
              .verb = std::string(message.command.verb()),
              .occurrence = message.number,
              .round = 1};
    }
    case Candidate::Kind::word: {
      const Server& replica = *servers_[candidate.index];
      const Message& message = replica.words.next();
      return {.kind = Kind::message,
              .actor = replica.name,
              .peer = name(replica.master),
              .verb = std::string(message.command.verb()),
              .occurrence = message.number,
              .round = 1};
    }
    case Candidate::Kind::unblock:
      return {.kind = Kind::timer, .actor = servers_[candidate.index]->name, .verb = "unblocks"};
    case Candidate::Kind::serve: {
      const auto first =
          std::ranges::find(servers_[candidate.index]->inbox, candidate.waits, &Server::UnreadRequest::connection);
      harness::EventName served = name_of(*candidate.waits, first->request);
      served.kind = Kind::serve;
      std::swap(served.actor, served.peer);
      return served;
    }
    case Candidate::Kind::timer: return processes_[candidate.index]->name_of(candidate.timer);
    case Candidate::Kind::sentinel: {
      const Sentinel& sentinel = sentinels_[candidate.index];
      return {.kind = Kind::timer,
              .actor = name(sentinel.demotes ? sentinel.other : sentinel.master),
              .verb = sentinel.demotes ? "demoted" : "replaced"};
    }
    case Candidate::Kind::election:
      return {.kind = Kind::timer, .actor = servers_[candidate.index]->name, .verb = "elects"};
    case Candidate::Kind::strike:
    case Candidate::Kind::heal: break;
  }
  harness::EventName name{.kind = candidate.kind == Candidate::Kind::strike ? Kind::fault : Kind::heal};
  name.occurrence = static_cast<int>(plans_[candidate.index].fault) + 1;
  return name;
}

}  // namespace lockproof::sim
