// SPDX-License-Identifier: Apache-2.0
#include "conformance/zookeeper/sides.hpp"

#include <algorithm>

#include "algorithms/zookeeper/requests.hpp"
#include "conformance/core/shown.hpp"
#include "real/clock/world_time.hpp"

namespace lockproof::conformance::zookeeper {
namespace {

namespace zk = lockproof::zookeeper;

constexpr std::int64_t ends_ns_max = 10'000'000'000;
constexpr std::int64_t closes_ns_max = 5'000'000'000;
constexpr std::int64_t margin_ns = 5'000'000;  // before a time-out is over

std::int64_t ns_of(milliseconds time) { return time.count() * 1'000'000; }
sim::ServerTime time_of(std::int64_t ns) { return {0, ns / 1000, {}}; }

std::string shown_names(std::vector<std::string> names) {
  std::ranges::sort(names);
  std::string all;
  for (const std::string& name : names) all += " " + name;
  return all.empty() ? "nobody is told" : "told of" + all;
}

}  // namespace

void Sides::reset() {
  real_.reset();
  model_ = std::make_unique<sim::zookeeper::Server>(parent, tick);
  clients_ = {};
  closed_.clear();
  late_ = false;
}

std::set<int> Sides::without_session() const {
  std::set<int> all;
  for (int client = 1; client <= clients; ++client) {
    if (clients_.at(static_cast<std::size_t>(client - 1)).key.id == 0) all.insert(client);
  }
  return all;
}

Differ Sides::run(const Step& step) {
  if (auto differ = keep_others(0); differ || late_) return differ;
  if (step.kind == Step::Kind::connect) return connect(step.client, step.ticks);
  if (of(step.client).key.id == 0) return std::nullopt;  // a shorter sequence may come to this
  switch (step.kind) {
    case Step::Kind::reconnect: return reconnect(step.client);
    case Step::Kind::overtake: return overtake(step.client);
    case Step::Kind::silence: return silence(step.client);
    case Step::Kind::hush: return hush(step.client);
    default: break;
  }
  std::vector<Value> words{Value(step.verb), Value("0")};
  if (!step.name.empty()) words.emplace_back(step.name);
  if (step.verb == "CREATE") words.emplace_back(step.flag ? "ES" : "E");
  if (step.verb == "EXISTS" && step.flag) words.emplace_back("W");
  return request(step.client, std::move(words));
}

Differ Sides::rest() {
  for (int client = 1; client <= clients; ++client) {
    if (of(client).key.id == 0) continue;
    if (auto differ = request(client, {"PING", "0"}); differ || late_) return differ;
  }
  return std::nullopt;
}

/// Of the sessions that shall live. One that ended changed the others' answers, too, and at an instant of its own.
bool Sides::somebody_may_have_ended() const {
  const std::int64_t now_ns = real::machine_ns();
  for (int client = 1; client <= clients; ++client) {
    const Client& one = clients_.at(static_cast<std::size_t>(client - 1));
    if (client != silent_ && one.key.id != 0 && now_ns - one.heard_ns > ns_of(one.timeout)) return true;
  }
  return false;
}

/// Pings the sessions that have been silent for a quarter of their time, but not that of this client.
Differ Sides::keep_others(int but) {
  for (int client = 1; client <= clients; ++client) {
    const Client& one = of(client);
    if (client == but || one.key.id == 0 || real::machine_ns() - one.heard_ns < ns_of(one.timeout) / 4) continue;
    if (auto differ = request(client, {"PING", "0"}); differ || late_) return differ;
  }
  return std::nullopt;
}

bool Sides::lives(const Client& client, std::int64_t at_ns) const {
  const auto session = model_->tree().sessions().find(client.session);
  if (session == model_->tree().sessions().end()) return false;
  return at_ns / 1'000'000 / tick.count() < session->second.ends + (mutant_ ? mutant_->ends_later : 0);
}

void Sides::push(const std::vector<sim::Push>& pushes) {
  for (const sim::Push& one : pushes) {
    const auto to = std::ranges::find(clients_, one.connection, &Client::connection);
    if (to != clients_.end()) to->to_be_told.push_back(one.message.items().at(1).value().bytes());
  }
}

void Sides::act(std::int64_t at_ns) {
  const std::int64_t later_ns = mutant_ ? mutant_->ends_later * ns_of(tick) : 0;
  const auto acted = model_->act(time_of(at_ns - later_ns));
  if (!mutant_ || !mutant_->tells_nobody_of_end) push(acted.pushes);
  closed_.insert(acted.closes.begin(), acted.closes.end());
}

Reply Sides::simulate(int client, Command command, std::int64_t at_ns) {
  act(at_ns);
  const bool opens = command.verb() == "CONNECT";
  if (!opens && !lives(of(client), at_ns)) return Reply::error("SESSIONEXPIRED");
  auto words = command.args();
  if (!opens) words.at(1) = Value::number(of(client).session);
  const Command named(std::move(words));
  const sim::Request request{of(client).connection, named, time_of(at_ns), client};
  const sim::NodeAnswer executed = mutant_ ? mutant_->execute(*model_, request) : model_->execute(request);
  push(executed.pushes);
  closed_.insert(executed.closes.begin(), executed.closes.end());
  return executed.reply;
}

Differ Sides::request(int client, std::vector<Value> words) {
  Client& asks = of(client);
  const Command command(std::move(words));
  const std::int64_t left_ns = real::machine_ns();
  const auto real = real_.client(client).ask(command);
  if (late_ = somebody_may_have_ended(); late_) return std::nullopt;
  asks.heard_ns = left_ns;
  const Reply simulated = simulate(client, command, left_ns);
  last_ = real.value_or(Reply::error("no answer"));
  if (simulated != last_) return Mismatch{conformance::shown(simulated), conformance::shown(last_)};
  auto differ = compare_told(client);
  if (command.verb() != "CLOSE") return differ;
  if (!differ) differ = compare_end(asks.connection, real_.client(client));
  forget_session(client);
  return differ;
}

Differ Sides::compare_told(int client) {
  Client& one = of(client);
  for (std::string& name : real_.client(client).told()) one.was_told.push_back(std::move(name)), ++told_;
  if (silent_ != 0) return std::nullopt;
  const auto simulated = std::exchange(one.to_be_told, {}), real = std::exchange(one.was_told, {});
  if (shown_names(simulated) == shown_names(real)) return std::nullopt;
  return Mismatch{shown_names(simulated), shown_names(real)};
}

void Sides::end_connection(Client& client) {
  if (!mutant_ || !mutant_->keeps_watches) model_->disconnected(client.connection);
  client.to_be_told.clear();
  client.was_told.clear();
}

/// The server ends the connection with the session.
void Sides::forget_session(int client) {
  Client& one = of(client);
  end_connection(one);
  const int connection = one.connection;
  one = Client{};
  one.connection = connection;
  real_.client(client).close();
}

Differ Sides::connect(int client, int ticks) {
  Client& opens = of(client);
  if (opens.key.id != 0) {
    if (auto differ = request(client, {"CLOSE", "0"}); differ || late_) return differ;
  }
  opens.connection = ++connections_;
  const milliseconds asked = tick * ticks;
  const std::int64_t left_ns = real::machine_ns();
  const auto welcome = real_.client(client).connect(real_.port(), asked);
  if (late_ = somebody_may_have_ended(); late_) return std::nullopt;
  const Reply simulated = simulate(client, zk::connect(asked).command, left_ns);
  if (!welcome || simulated.kind() != Reply::Kind::array) return Mismatch{conformance::shown(simulated), "no session"};
  opens.key = welcome->session;
  opens.session = simulated.items()[0].integer();
  opens.timeout = welcome->timeout;
  opens.heard_ns = left_ns;
  last_ = Reply::integer(welcome->timeout.count());
  if (simulated.items()[1] == last_) return std::nullopt;
  return Mismatch{conformance::shown(simulated.items()[1]), conformance::shown(last_)};
}

/// Whether the server has closed a connection.
Differ Sides::compare_end(int connection, real::ZooKeeperControl& real) {
  const bool simulated = closed_.contains(connection);
  const std::int64_t give_up = real::machine_ns() + closes_ns_max;
  while (simulated && !real.ended() && real::machine_ns() < give_up) real::nap();
  if (simulated == real.ended()) return std::nullopt;
  return Mismatch{simulated ? "the connection has ended" : "the connection goes on",
                  real.ended() ? "the connection has ended" : "the connection goes on"};
}

Differ Sides::reconnect(int client) {
  end_connection(of(client));
  const bool is_new = !mutant_ || !mutant_->keeps_watches;
  return go_on(client, real_.client(client), is_new ? ++connections_ : of(client).connection);
}

/// What was left on the connection before is not read any more.
Differ Sides::overtake(int client) {
  Client& one = of(client);
  const int before = one.connection;
  if (auto differ = go_on(client, real_.reserve(client), ++connections_); differ || late_) return differ;
  auto differ = compare_end(before, real_.client(client));
  one.to_be_told.clear();
  one.was_told.clear();
  real_.exchange(client);
  real_.reserve(client).close();
  return differ;
}

/// A handshake keeps its session as a ping does.
Differ Sides::go_on(int client, real::ZooKeeperControl& over, int connection) {
  Client& one = of(client);
  one.connection = connection;
  const std::int64_t left_ns = real::machine_ns();
  const auto welcome = over.connect(real_.port(), one.timeout, one.key);
  if (late_ = somebody_may_have_ended(); late_) return std::nullopt;
  one.heard_ns = left_ns;
  const bool simulated = !simulate(client, Command({"PING", "0"}), left_ns).is_error();
  const bool real = welcome && welcome->session.id == one.key.id;
  if (simulated == real) return std::nullopt;
  return Mismatch{simulated ? "it goes on" : "it has ended", real ? "it goes on" : "it has ended"};
}

/// A request that left first makes the real session end no sooner than the simulated one.
Differ Sides::silence(int client) {
  const Client& one = of(client);
  const bool has_nodes = model_->tree().has_nodes(one.session);
  const std::int64_t give_up = real::machine_ns() + ends_ns_max;
  silent_ = client;
  Differ differ;
  while (!differ && !late_ && !real_.client(client).ended()) {
    differ = keep_others(client);
    if (real::machine_ns() > give_up) differ = Mismatch{"its session has ended", "its session lives"};
    real::nap();
  }
  silent_ = 0;
  if (differ || late_) return differ;
  const std::int64_t now_ns = real::machine_ns();
  act(now_ns);
  if (lives(one, now_ns)) return Mismatch{"its session lives", "its session has ended"};
  if (has_nodes) differ = compare_end(one.connection, real_.client(client));
  forget_session(client);
  return differ;
}

Differ Sides::hush(int client) {
  const Client& one = of(client);
  const std::int64_t until_ns = one.heard_ns + ns_of(one.timeout) - margin_ns;
  while (real::machine_ns() < until_ns) {
    if (auto differ = keep_others(client); differ || late_) return differ;
    real::nap();
  }
  return request(client, {"PING", "0"});
}

}  // namespace lockproof::conformance::zookeeper
