// SPDX-License-Identifier: Apache-2.0
// The part of World for ensembles: who of their servers leads, who follows, and who has lost the others. What a
// majority has kept is never lost, so there is one log, and each server has applied a beginning of it. Elections take
// no time.
#include <algorithm>
#include <iterator>
#include <utility>

#include "harness/scenario/services.hpp"
#include "sim/world/state_encoder.hpp"
#include "sim/world/world.hpp"

namespace lockproof::sim {

using harness::HostIndex;
using harness::What;

/// Among servers that have applied the same, the last one is elected.
void World::add_ensemble() {
  if (!scenario_.ensemble) return;
  ensemble_.leader = members().back();
  for (const HostIndex host : members()) {
    stand(host, host == ensemble_.leader ? Standing::leads : Standing::follows);
  }
}

std::vector<HostIndex> World::members() const {
  std::vector<HostIndex> all;
  for (std::size_t i = 0; i < scenario_.servers.size(); ++i) all.push_back(first_server() + static_cast<HostIndex>(i));
  return all;
}

const Server& World::member(HostIndex host) const { return *servers_[static_cast<std::size_t>(host - first_server())]; }

/// All times of sessions are the leader's.
ServerTime World::time_of(const Server& server) const {
  const bool of_ensemble = scenario_.ensemble && server.model->ensemble() != nullptr;
  if (!of_ensemble || ensemble_.leader == harness::no_host) return server.time(now_);
  return member(ensemble_.leader).time(now_);
}

bool World::runs(HostIndex host) const { return !member(host).down && member(host).pauses == 0; }

bool World::in_touch(HostIndex one, HostIndex other) const {
  return one == other || (runs(one) && runs(other) && !is_cut(one, other) && !is_cut(other, one));
}

/// A server waits so long for its leader, and a leader for its majority.
bool World::sync_timeout_is_over(const Server& server) const {
  return server.apart_since && now_ - *server.apart_since >= harness::sync_timeout_of(scenario_);
}

void World::stand(HostIndex host, Standing standing) {
  Server& server = server_at(host);
  const auto is_led = [](Standing one) { return one == Standing::leads || one == Standing::follows; };
  if (is_led(server.standing) && !is_led(standing)) server.as_member().end_idle(time_of(server));
  if (standing == Standing::apart && !server.apart_since) server.apart_since = now_;
  if (standing != Standing::apart) server.apart_since.reset();
  server.standing = standing;
  server.as_member().stand(standing);
}

/// It closes the connections of its clients, and refuses new ones.
void World::leave_ensemble(HostIndex host) {
  stand(host, Standing::out);
  reset_all(host);
}

/// What a server does because of what another one has run.
void World::take(HostIndex host, const ServiceModel::OwnActs& acted) {
  push(acted.pushes);
  close_at_server(host, acted.closes);
}

/// The others learn of what a server has run. One that is apart cannot tell them.
void World::share(HostIndex from, const std::vector<std::string>& changed) {
  if (!scenario_.ensemble || from >= first_server() + static_cast<HostIndex>(scenario_.servers.size())) return;
  const Server& source = member(from);
  if (source.standing != Standing::leads && source.standing != Standing::follows) return;
  for (const HostIndex host : members()) {
    if (host != from) take(host, member(host).as_member().follow(*source.model, changed));
  }
}

/// A server that comes back to its leader, or to a new one.
void World::join_ensemble(HostIndex host) {
  Server& server = server_at(host);
  const Server& leader = member(ensemble_.leader);
  const bool was_behind = leader.as_member().applied() != server.as_member().applied();
  server.epoch = ensemble_.epoch;
  take(host, server.as_member().catch_up(*leader.model, time_of(server)));
  stand(host, Standing::follows);
  share(host, {});
  if (!was_behind) return;
  harness::Event event{.what = What::strike};
  event.peer = ensemble_.leader;
  event.word = "catch-up";
  note(host, server.clocks, std::move(event));
}

void World::look_at_leader() {
  if (ensemble_.leader == harness::no_host) return;
  const HostIndex leader = ensemble_.leader;
  const Server& server = member(leader);
  if (server.down || (runs(leader) && sync_timeout_is_over(server))) {
    server.down ? stand(leader, Standing::out) : leave_ensemble(leader);
    ensemble_.leader = harness::no_host;
    return;
  }
  const auto all = members();
  const auto reached = std::ranges::count_if(all, [&](HostIndex host) { return in_touch(leader, host); });
  const bool has_it = runs(leader) && has_majority(static_cast<std::size_t>(reached));
  stand(leader, has_it ? Standing::leads : Standing::apart);
}

/// A follower whose leader's process has ended notices at once, one that hears nothing only when its sync time-out is
/// over.
void World::look_at_follower(HostIndex host) {
  const Server& server = member(host);
  if (server.down) return stand(host, Standing::out);
  const bool has_leader = ensemble_.leader != harness::no_host;
  const bool is_led =
      has_leader && member(ensemble_.leader).standing == Standing::leads && in_touch(host, ensemble_.leader);
  const bool notices = !has_leader && server.standing == Standing::follows;
  const bool gives_up = server.epoch != ensemble_.epoch || sync_timeout_is_over(server);
  if (runs(host) && server.standing != Standing::out && (notices || gives_up)) leave_ensemble(host);
  if (server.standing == Standing::follows && !is_led) stand(host, Standing::apart);
  if (server.standing != Standing::follows && is_led) join_ensemble(host);
}

/// Of the servers that look for a leader and reach a majority, one that has applied most leads; of several, the last.
bool World::elect() {
  std::vector<HostIndex> looking;
  for (const HostIndex host : members()) {
    if (runs(host) && member(host).standing == Standing::out) looking.push_back(host);
  }
  const auto applied = [&](HostIndex host) { return member(host).as_member().applied(); };
  HostIndex best = harness::no_host;
  std::vector<HostIndex> voters;
  for (const HostIndex candidate : looking) {
    std::vector<HostIndex> with;
    std::ranges::copy_if(looking, std::back_inserter(with), [&](HostIndex host) { return in_touch(candidate, host); });
    if (!has_majority(with.size()) || (best != harness::no_host && applied(best) > applied(candidate))) continue;
    best = candidate;
    voters = std::move(with);
  }
  if (best != harness::no_host) lead(best, voters);
  return best != harness::no_host;
}

void World::lead(HostIndex leader, const std::vector<HostIndex>& voters) {
  ensemble_.leader = leader;
  ++ensemble_.epoch;
  Server& server = server_at(leader);
  server.epoch = ensemble_.epoch;
  stand(leader, Standing::leads);
  server.as_member().begin_to_lead(server.time(now_));
  harness::Event event{.what = What::strike};
  event.word = "election";
  note(leader, server.clocks, std::move(event));
  for (const HostIndex host : voters) {
    if (host != leader) join_ensemble(host);
  }
}

/// After an event that may have changed who reaches whom, and when a sync time-out is over.
void World::look_at_ensemble() {
  if (!scenario_.ensemble) return;
  do {
    look_at_leader();
    for (const HostIndex host : members()) {
      if (host != ensemble_.leader) look_at_follower(host);
    }
  } while (elect());
  plan_next_look();
  for (const HostIndex host : members()) {
    const Server& server = member(host);
    if (runs(host) && server.standing != Standing::apart && !server.held.empty()) unblock(host);
  }
}

void World::plan_next_look() {
  ensemble_.looks.reset();
  const auto at = [&](Duration instant) {
    if (instant > now_) ensemble_.looks = std::min(ensemble_.looks.value_or(instant), instant);
  };
  for (const HostIndex host : members()) {
    const Server& server = member(host);
    if (server.apart_since && runs(host)) at(*server.apart_since + harness::sync_timeout_of(scenario_));
  }
}

void World::offer_election() {
  if (ensemble_.looks) offer(*ensemble_.looks, {Candidate::Kind::election, 0});
}

void World::encode_ensemble(StateEncoder& into) const {
  if (!scenario_.ensemble) return;
  into.number(ensemble_.leader);
  into.duration(ensemble_.looks ? *ensemble_.looks - now_ : Duration(-1));
  std::int64_t most = 0;
  for (const HostIndex host : members()) most = std::max(most, member(host).as_member().applied());
  for (const HostIndex host : members()) {
    const Server& server = member(host);
    into.number(static_cast<std::int64_t>(server.standing));
    into.number(server.epoch == ensemble_.epoch);
    into.number(most - server.as_member().applied());
    into.duration(server.apart_since ? std::min(now_ - *server.apart_since, harness::sync_timeout_of(scenario_))
                                     : Duration(-1));
  }
}

}  // namespace lockproof::sim
