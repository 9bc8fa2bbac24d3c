// SPDX-License-Identifier: Apache-2.0
// The part of Server for ensembles: what one of several does with what the others have run.
#include <algorithm>
#include <utility>

#include "sim/services/zookeeper/server.hpp"

namespace lockproof::sim::zookeeper {

namespace {

Push told(int connection, const std::string& path) {
  return {connection, Reply::array({Reply::bulk("event"), Reply::bulk(path)})};
}

}  // namespace

void Server::stand(Standing standing) {
  standing_ = standing;
  if (standing != Standing::leads) still_at_.reset();
  if (standing == Standing::apart) return;
  missed_.clear();
  heard_.clear();
}

/// A change is run by the leader, and so is a request that asks how far that is. A session that comes over another
/// connection is confirmed by it, too (Learner.validateSession).
bool Server::needs_leader(const Request& request) const {
  const std::string_view verb = request.command.verb();
  if (verb == "CONNECT" || verb == "CLOSE" || verb == "CREATE" || verb == "DELETE" || verb == "SYNC") return true;
  const auto& sessions = tree_.sessions();
  return std::ranges::none_of(sessions,
                              [&](const auto& entry) { return entry.second.connection == request.connection; });
}

ServiceModel::OwnActs Server::follow(const ServiceModel& other, const std::vector<std::string>& changed) {
  OwnActs acted;
  const Server& from = static_cast<const Server&>(other);
  if (standing_ == Standing::out) return acted;
  if (standing_ == Standing::apart) {
    for (const std::string& path : changed) {
      if (std::ranges::find(missed_, path) == missed_.end()) missed_.push_back(path);
    }
    return acted;
  }
  tree_.follow(from.tree_);
  for (const std::string& path : changed) {
    for (const int connection : tree_.take_watches(path)) acted.pushes.push_back(told(connection, path));
  }
  return acted;
}

/// It tells its leader of the sessions that it has heard of; those that go on elsewhere, or have ended, leave it.
ServiceModel::OwnActs Server::catch_up(const ServiceModel& leader, const ServerTime& at) {
  OwnActs acted;
  const std::map<std::int64_t, Session> before = tree_.sessions();
  const std::vector<std::string> missed = std::exchange(missed_, {});
  const std::set<std::int64_t> heard = std::exchange(heard_, {});
  standing_ = Standing::follows;
  acted = follow(leader, missed);
  for (const auto& [id, session] : before) {
    Session* const now = tree_.session(id);
    if (session.connection == 0 || (now && now->connection == session.connection)) continue;
    tree_.forget(session.connection);
    acted.closes.push_back(session.connection);
  }
  for (const std::int64_t id : heard) {
    if (Session* const session = tree_.session(id)) touch(*session, at);
  }
  return acted;
}

void Server::encode_standing(StateEncoder& into) const {
  if (standing_ == Standing::leads || standing_ == Standing::follows) return;
  into.number(static_cast<std::int64_t>(standing_));
  into.number(static_cast<std::int64_t>(missed_.size()));
  for (const std::string& path : missed_) into.text(path);
  for (const std::int64_t id : heard_) into.number(id);
}

}  // namespace lockproof::sim::zookeeper
