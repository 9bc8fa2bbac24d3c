// SPDX-License-Identifier: Apache-2.0
#include "sim/services/postgres/node.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "sim/services/postgres/statements.hpp"

namespace lockproof::sim::postgres {

using harness::Change;
using harness::Effect;

namespace {

std::vector<Effect> freed(const std::vector<std::string>& names) {
  std::vector<Effect> effects;
  for (const std::string& name : names) effects.push_back({Change::evicted, "freed", name, {}});
  return effects;
}

}  // namespace

NodeAnswer Node::execute(const Request& request) {
  NodeAnswer executed{Reply::nil()};
  const Scene scene{database_, request.connection, request.at.wall_ms, std::nullopt,
                    standby_,  executed.effects,   executed.propagated};
  std::optional<Reply> reply = run(scene, request.command);
  if (reply) {
    executed.reply = *std::move(reply);
    if (executed.reply.is_error()) executed.lacks = describe_lack(request.command);
  } else {
    executed.waits = true;
    executed.asks_replicas = commits(request.connection);
    waiting_.push_back({request.connection, request.command, request.at.wall_ms});
    for (auto& [standby, questions] : asked_) {
      if (executed.asks_replicas) questions.push_back({request.connection});
    }
  }
  return executed;
}

bool Node::remembers(int connection) const {
  const auto session = database_.sessions().find(connection);
  return session != database_.sessions().end() && !session->second.idle();
}

std::vector<Effect> Node::connection_ended(int connection, const ServerTime& /*at*/) {
  std::erase_if(waiting_, [&](const WaitingStatement& w) { return w.connection == connection; });
  return freed(database_.end(connection));
}

bool Node::commits(int connection) const {
  const auto session = database_.sessions().find(connection);
  return session != database_.sessions().end() && session->second.committing;
}

/// A standby that follows only now has all that was committed so far, once it has its copy.
bool Node::follow(int host) {
  std::vector<int> committing;
  for (const WaitingStatement& waiting : waiting_) {
    if (commits(waiting.connection)) committing.push_back(waiting.connection);
  }
  asked_[host].clear();
  if (committing.empty()) return false;
  asked_[host].push_back(std::move(committing));
  return true;
}

void Node::acknowledged(int host) {
  auto& questions = asked_[host];
  if (questions.empty()) return;
  for (WaitingStatement& waiting : waiting_) {
    if (std::ranges::find(questions.front(), waiting.connection) != questions.front().end()) waiting.applied = true;
  }
  questions.pop_front();
}

/// Tried on a copy, since a statement that waits has done nothing.
bool Node::can_go_on(const WaitingStatement& waiting) const {
  if (commits(waiting.connection)) return waiting.applied;
  Database copy = database_;
  std::vector<Effect> effects;
  std::vector<Command> propagated;
  return run({copy, waiting.connection, 0, waiting.began_ms, standby_, effects, propagated}, waiting.command)
      .has_value();
}

std::optional<Duration> Node::due(const HostClocks& /*clocks*/) const {
  if (std::ranges::none_of(waiting_, [&](const WaitingStatement& w) { return can_go_on(w); })) return std::nullopt;
  return Duration{};
}

std::vector<ServiceModel::Answer> Node::on_timer(const ServerTime& at) {
  std::vector<Answer> answers;
  for (std::size_t i = 0; i < waiting_.size();) {
    Answer answer{waiting_[i].connection, Reply::nil()};
    const Scene scene{database_, answer.connection, at.wall_ms,       waiting_[i].began_ms,
                      standby_,  answer.effects,    answer.propagated};
    std::optional<Reply> reply;
    if (!commits(answer.connection)) {
      reply = run(scene, waiting_[i].command);
    } else if (waiting_[i].applied) {
      reply = finish_commit(scene);
    }
    if (!reply) {
      ++i;
      continue;
    }
    answer.reply = *std::move(reply);
    answers.push_back(std::move(answer));
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return answers;
}

/// A commit that waits for a standby is on its own disk.
std::vector<Effect> Node::stop(bool /*without_warning*/, const ServerTime& at) {
  for (const WaitingStatement& waiting : waiting_) {
    std::vector<Effect> effects;
    std::vector<Command> propagated;
    const Scene scene{database_, waiting.connection, at.wall_ms, std::nullopt, standby_, effects, propagated};
    if (commits(waiting.connection)) (void)finish_commit(scene);
  }
  waiting_.clear();
  asked_.clear();
  return freed(database_.end_all());
}

void Node::send_copy(const ServiceModel& master) { copy_ = dynamic_cast<const Node&>(master).database_.rows(); }

bool Node::lose_copy() { return std::exchange(copy_, std::nullopt).has_value(); }

std::vector<Effect> Node::load_copy(const ServerTime& /*at*/) {
  database_.rows() = std::exchange(copy_, std::nullopt).value_or(Rows{});
  return {};
}

std::vector<Effect> Node::run_propagated(const Command& command, const ServerTime& at) {
  std::vector<Effect> effects;
  std::vector<Command> propagated;
  apply_commit({database_, 0, at.wall_ms, std::nullopt, true, effects, propagated}, command);
  return effects;
}

namespace {

void encode_rows(StateEncoder& into, const Rows& rows, std::int64_t wall_ms, std::int64_t over_at_most_ms) {
  into.number(static_cast<std::int64_t>(rows.leases.size()));
  for (const auto& [name, lease] : rows.leases) {
    into.text(name);
    into.value(lease.owner, wall_ms);
    into.number(lease.fence);
    into.number(lease.until_ms.has_value());
    const std::int64_t oldest_ms = lease.by_clients ? std::numeric_limits<std::int64_t>::min() : -over_at_most_ms;
    if (lease.until_ms) into.number(std::max(*lease.until_ms - wall_ms, oldest_ms));
  }
  into.number(static_cast<std::int64_t>(rows.fences.size()));
  for (const auto& [name, last] : rows.fences) {
    into.text(name);
    into.number(last);
  }
}

}  // namespace

/// Sessions in the order of the connections' numbers; those that nobody can reach any more have none, and stand in the
/// order of what they have.
void Node::encode(StateEncoder& into, const std::map<int, int>& connections, const ServerTime& at,
                  std::int64_t over_at_most_ms) const {
  encode_rows(into, database_.rows(), at.wall_ms, over_at_most_ms);
  const auto number_of = [&](int connection) {
    const auto known = connections.find(connection);
    return known == connections.end() ? -1 : known->second;
  };
  std::vector<std::pair<int, const Session*>> ordered;
  for (const auto& [connection, session] : database_.sessions()) {
    if (!session.idle()) ordered.emplace_back(number_of(connection), &session);
  }
  std::ranges::sort(ordered, [](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first < b.first;
    return std::tie(a.second->advisory, a.second->until_end) < std::tie(b.second->advisory, b.second->until_end);
  });
  into.number(static_cast<std::int64_t>(ordered.size()));
  for (const auto& [number, session] : ordered) {
    into.number(number);
    into.number(session->in_transaction + 2 * session->failed + 4 * session->remote_apply + 8 * session->committing);
    into.number(static_cast<std::int64_t>(session->advisory.size()));
    for (const auto& [name, count] : session->advisory) {
      into.text(name);
      into.number(count);
    }
    into.number(static_cast<std::int64_t>(session->until_end.size()));
    for (const std::string& name : session->until_end) into.text(name);
    encode_rows(into, session->changed, at.wall_ms, over_at_most_ms);
  }
  into.number(static_cast<std::int64_t>(waiting_.size()));
  for (const WaitingStatement& waiting : waiting_) {
    into.number(number_of(waiting.connection) * 2 + waiting.applied);
    into.command(waiting.command, at.wall_ms);
    into.number(waiting.began_ms - at.wall_ms);
  }
  for (const auto& [standby, questions] : asked_) {
    into.number(standby);
    into.number(static_cast<std::int64_t>(questions.size()));
    for (const std::vector<int>& question : questions) {
      into.number(static_cast<std::int64_t>(question.size()));
      for (const int connection : question) into.number(number_of(connection));
    }
  }
  into.number(copy_.has_value());
  if (copy_) encode_rows(into, *copy_, at.wall_ms, over_at_most_ms);
}

/// An advisory lock has no end; a row whose time is over is free.
void Node::residual(StateEncoder& into, const ServerTime& at, bool with_leased) const {
  for (const auto& [connection, session] : database_.sessions()) {
    for (const auto& [name, count] : session.advisory) into.text(name);
    for (const std::string& name : session.until_end) into.text(name);
  }
  for (const auto& [name, lease] : database_.rows().leases) {
    if (!with_leased || !lease.until_ms || *lease.until_ms < at.wall_ms) continue;
    into.text(name);
    into.number(1);
  }
}

Duration Node::longest_lease(const ServerTime& at) const {
  std::int64_t longest_ms = 0;
  for (const auto& [name, lease] : database_.rows().leases) {
    if (lease.until_ms) longest_ms = std::max(longest_ms, *lease.until_ms + 1 - at.wall_ms);
  }
  return milliseconds(longest_ms);
}

/// A row is free from the first millisecond after its time on.
void Node::each_reading(const HostClocks& clocks, const std::function<void(Duration)>& see) const {
  for (const auto& [name, lease] : database_.rows().leases) {
    if (lease.until_ms) see(clocks.when_past(*lease.until_ms));
  }
}

std::vector<std::int64_t> Node::stamps() const {
  std::vector<std::int64_t> all;
  for (const auto& [name, lease] : database_.rows().leases) {
    if (lease.until_ms) all.push_back(*lease.until_ms);
  }
  return all;
}

}  // namespace lockproof::sim::postgres
