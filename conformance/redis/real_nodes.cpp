// SPDX-License-Identifier: Apache-2.0
#include "conformance/redis/real_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "conformance/redis/answers.hpp"

namespace lockproof::conformance::redis {
namespace {

constexpr int wait_ms = 300;                           // wait for what would have come at once
constexpr std::int64_t long_us = 800'000'000'000'000;  // 25 years; less than --repl-timeout

}  // namespace

RealNodes::RealNodes(const std::string& program) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    specs_[i].name = fmt::format("node-{}", i);
    specs_[i].persistence = persistences[i];
    nodes_[i].server = std::make_unique<real::StagedServer>(specs_[i], janitor_, true, program);
  }
  for (One& one : nodes_) {
    one.server->await_ready();
    set_up(one);
  }
}

RealNodes::~RealNodes() = default;

/// Settings for a process that has just started.
void RealNodes::set_up(One& one) {
  (void)one.server->ask({"CONFIG", "SET", "min-replicas-max-lag", "1000000000"});  // a replica is never late
  for (Client& client : one.clients) client = {std::make_unique<real::Wire>(one.server->port()), false};
}

void RealNodes::reset() {
  clock_us_ = epoch_ms * 1000;
  for (One& one : nodes_) {
    promote(one);
    one.ahead_us = 0;
    set_clock(one, clock_us_);
    for (Client& client : one.clients) reconnect(one, client);
    one.server->flush();
    (void)one.server->ask({"SCRIPT", "FLUSH"});
    (void)one.server->take_events();
    one.server->begin_anew();
  }
}

/// Returns when the server has noticed that the old connection has ended.
void RealNodes::reconnect(One& one, Client& client) {
  const auto clients = [&] { return one.server->ask({"CLIENT", "LIST", "TYPE", "NORMAL"}).value().bytes(); };
  const auto pubsub = [&] { return one.server->ask({"CLIENT", "LIST", "TYPE", "PUBSUB"}).value().bytes(); };
  const auto count = [&] {
    const std::string all = clients() + pubsub();
    return std::ranges::count(all, '\n');
  };
  const auto before = count();
  client = {};
  while (count() >= before) continue;
  client.wire = std::make_unique<real::Wire>(one.server->port());
  client.wire->set_time_allowed(1'000);
}

Outcome RealNodes::run(std::span<const Step> steps) {
  Outcome outcome;
  try {
    if (steps.front().kind == Step::Kind::command) {
      converse(steps, outcome);
    } else {
      perform(steps.front(), outcome);
      observe(at(steps.front().node), nullptr, outcome);
    }
    if (changes_node(steps.front())) outcome.contents = contents(at(steps.front().node));
  } catch (const real::LostConnection&) {
    outcome.timing = "never";
  }
  return outcome;
}

void RealNodes::perform(const Step& step, Outcome& outcome) {
  One& one = at(step.node);
  switch (step.kind) {
    case Step::Kind::command: return;
    case Step::Kind::clock:
      clock_us_ = step.clock_us;
      for (One& each : nodes_) set_clock(each, clock_us_);
      return;
    case Step::Kind::jump: one.ahead_us += step.clock_us; return set_clock(one, clock_us_);
    case Step::Kind::reconnect: return reconnect(one, one.clients[static_cast<std::size_t>(step.connection)]);
    case Step::Kind::min_replicas:
      (void)one.server->ask({"CONFIG", "SET", "min-replicas-to-write", Value::number(step.min_replicas)});
      return;
    case Step::Kind::follow: return follow(one, step.peer);
    case Step::Kind::copy:
      if (!one.next) one.next = std::make_unique<real::ReplicationLink>();
      one.next->follow(at(one.master).server->port());
      one.next->set_time_allowed(wait_ms);
      one.linked = true;
      return await_replicas(one.master);
    case Step::Kind::load: return load(one);
    case Step::Kind::deliver: return deliver(one, step.count, outcome);
    case Step::Kind::promote: return promote(one);
    case Step::Kind::fail_over: return fail_over(step.node);
    case Step::Kind::restart: return end(step.node, false);
    case Step::Kind::power_cut: return end(step.node, true);
    case Step::Kind::evict:
      if (!one.server->evict(step.key)) outcome.timing = "not: other keys would go as well";
      return one.server->note_log(now());
  }
}

void RealNodes::converse(std::span<const Step> commands, Outcome& outcome) {
  One& one = at(commands.front().node);
  const auto connection = static_cast<std::size_t>(commands.front().connection);
  Client& client = one.clients[connection];
  std::string bytes;
  for (const Step& step : commands) bytes += real::to_resp(step.words);
  client.wire->send(bytes);
  const auto receive = [&] { return real::reply_of(client.wire->message()); };
  for (const Step& step : commands) {
    outcome.replies.push_back(answer_to(step.words, receive, client.subscribed, outcome.messages[connection]));
  }
  observe(one, &client, outcome);
  one.server->note_log(now());
}

/// Reads what the server sent without a request.
void RealNodes::observe(One& one, const Client* asked, Outcome& outcome) {
  for (const auto& [event, key] : one.server->take_events()) {
    outcome.effects.push_back(fmt::format("{} {}", event, key));
  }
  for (std::size_t i = 0; i < one.clients.size(); ++i) {
    Client& client = one.clients[i];
    if (&client == asked || !client.subscribed) continue;
    client.wire->send(real::to_resp({"PING"}));
    take_messages([&] { return real::reply_of(client.wire->message()); }, outcome.messages[i]);
  }
}

/// Lets the node ask for a copy, which is not answered yet. Its old link ends only then: a replica whose link ends
/// connects again, and may take the end of that connection for an answer of the new one.
void RealNodes::follow(One& one, int master) {
  auto next = std::make_unique<real::ReplicationLink>();
  (void)one.server->ask({"REPLICAOF", "127.0.0.1", Value::number(next->port())});
  unlink(one);
  one.master = master;
  one.next = std::move(next);
}

void RealNodes::load(One& one) {
  (void)one.server->ask({"REPLICAOF", "127.0.0.1", Value::number(one.next->port())});
  one.next->hand_over_copy();
  one.link = std::move(one.next);  // only now: a replica whose link ends would connect again
  one.server->await_rewrite();
}

/// Replies that never came are missing in the outcome.
void RealNodes::deliver(One& one, std::size_t count, Outcome& outcome) {
  try {
    for (; one.link && count > 0; --count) outcome.propagated.push_back(conformance::shown(one.link->pass_one()));
  } catch (const real::LostConnection&) {
    return;
  }
  one.server->note_log(now());
}

void RealNodes::promote(One& one) {
  if (one.master == no_node) return;
  (void)one.server->ask({"REPLICAOF", "NO", "ONE"});
  unlink(one);
  one.master = no_node;
}

void RealNodes::fail_over(int node) {
  const int old = at(node).master;
  promote(at(node));
  for (One& one : nodes_) {
    if (one.master == old) follow(one, node);
  }
}

void RealNodes::unlink(One& one) {
  one.link.reset();
  one.next.reset();
  if (std::exchange(one.linked, false)) await_replicas(one.master);
}

/// Returns when the master has noticed which replicas it has now.
void RealNodes::await_replicas(int master) {
  const auto wanted = std::ranges::count_if(nodes_, [&](const One& one) { return one.master == master && one.linked; });
  const auto has = [&] { return std::ssize(at(master).server->ask({"ROLE"}).items()[2].items()); };
  while (has() != wanted) continue;
}

void RealNodes::end(int node, bool without_warning) {
  One& one = at(node);
  const std::string least = one.server->ask({"CONFIG", "GET", "min-replicas-to-write"}).items()[1].value().bytes();
  if (without_warning) {
    one.server->lose_power(now());
  } else {
    one.server->shut_down();
  }
  unlink(one);
  for (One& other : nodes_) {
    if (other.master != node) continue;
    other.linked = false;
    other.next.reset();
  }
  one.server->start_again((clock_us_ + one.ahead_us) / 1000, one.master != no_node);
  set_up(one);
  (void)one.server->ask({"CONFIG", "SET", "min-replicas-to-write", Value(least)});
  if (one.master != no_node) follow(one, one.master);
}

/// Read when nothing has expired, so that no key is deleted by being looked at.
std::vector<std::string> RealNodes::contents(One& one) {
  set_clock(one, clock_us_ - long_us);
  std::vector<std::string> lines;
  const Reply all = one.server->ask({"KEYS", "*"});
  for (const Reply& key : all.items()) {
    const bool hash = one.server->ask({"TYPE", key.value()}) == Reply::status("hash");
    const Reply content = one.server->ask({hash ? "HGETALL" : "GET", key.value()});
    const Reply until = one.server->ask({"PEXPIRETIME", key.value()});
    lines.push_back(fmt::format("{} = {} until {}", key.value().bytes(), conformance::shown(content), until.integer()));
  }
  std::ranges::sort(lines);
  set_clock(one, clock_us_);
  return lines;
}

std::string RealNodes::version() { return at(0).server->version(); }

}  // namespace lockproof::conformance::redis
