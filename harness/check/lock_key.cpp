// SPDX-License-Identifier: Apache-2.0
#include "harness/check/lock_key.hpp"

#include <algorithm>

#include "harness/scenario/services.hpp"

namespace lockproof::check {

using harness::Change;
using harness::Effect;
using harness::Event;
using harness::HostIndex;
using harness::no_host;
using harness::What;

namespace {

std::string_view lease_clock(const harness::Scenario& scenario) {
  return scenario.algorithm ? harness::row_of(scenario.algorithm->service).lease_clock : "wall";
}

}  // namespace

LockKey::LockKey(const harness::Header& header, const harness::Scenario& scenario)
    : scenario_(scenario), lease_clock_(lease_clock(scenario)), keeper_(header, scenario), clocks_(header) {
  for (std::size_t i = 0; i < header.hosts.size(); ++i) {
    if (header.hosts[i].kind != harness::HostKind::server) continue;
    const auto host = static_cast<HostIndex>(i);
    const auto spec = std::ranges::find(scenario.servers, header.hosts[i].name, &harness::ServerSpec::name);
    const bool replica = spec != scenario.servers.end() && !spec->replica_of.empty();
    if (keeper_.of(host) != host) continue;
    if (!replica) masters_.push_back(host);
    hosts_.push_back(host);
    places_[host] = {};
  }
}

void LockKey::see(const Event& event) {
  switch (event.what) {
    case What::strike: strike(event); break;
    case What::attempt: attempts_[event.host] = {attempts_[event.host].count + 1, true, {}}; break;
    case What::granted: settle(event.host, true, event.at); break;
    case What::busy:
    case What::failed: settle(event.host, false, event.at); break;
    default: break;
  }
  clocks_.see(event);
  if (!places_.contains(keeper_.of(event.host))) return;
  if (event.what == What::copy) copies_[event.peer] = places_[event.host];
  if (event.what == What::execute) execute(event, event.peer);
  if (event.what == What::replicate && places_.contains(event.peer)) replicate(event);
}

/// A copy has its master's keys, and their owners, as they were when it was made.
void LockKey::replicate(const Event& event) {
  const auto copy = copies_.find(event.host);
  if (event.command->verb() != "FULLRESYNC" || copy == copies_.end()) return execute(event, places_[event.peer].owner);
  Place& place = places_[event.host];
  const Duration since = place.owner == copy->second.owner ? place.since : event.at;
  place = copy->second;
  place.since = since;
  copies_.erase(copy);
}

/// The effects of an eviction, a flush or a server's end on keys are in the event; for the end of a real server they
/// follow from what the scenario says that it keeps.
void LockKey::strike(const Event& event) {
  if (event.word == "crash" || event.word == "kill-task") attempts_[event.host].under_way = false;
  if (!places_.contains(event.host)) return;
  Place& hit = places_[event.host];
  for (const Effect& effect : event.effects) {
    if (effect.key == scenario_.lock) set_owner(hit, no_host, event.at);
  }
  const auto server = std::ranges::find(hosts_, event.host) - hosts_.begin();
  const auto& servers = scenario_.servers;
  const bool outlives = scenario_.algorithm && harness::row_of(scenario_.algorithm->service).outlives;
  const bool forgets = !outlives && static_cast<std::size_t>(server) < servers.size() &&
                       servers[static_cast<std::size_t>(server)].persistence == harness::Persistence::none;
  if (forgets && (event.word == "restart" || event.word == "power-cut")) set_owner(hit, no_host, event.at);
  if (event.word == "failover" && event.peer != no_host) std::ranges::replace(masters_, event.host, event.peer);
}

void LockKey::execute(const Event& event, HostIndex client) {
  for (const Effect& effect : event.effects) {
    if (effect.key == scenario_.lock) change(places_[keeper_.of(event.host)], effect, event, client);
  }
}

void LockKey::change(Place& place, const Effect& effect, const Event& event, HostIndex client) {
  switch (effect.change) {
    case Change::released:
    case Change::expired:
    case Change::evicted: return set_owner(place, no_host, event.at);
    case Change::renewed:
      place.expires_ms.reset();
      if (effect.ttl) place.expires_ms = clocks_.now(event.host, lease_clock_, event.at) / 1000 + effect.ttl->count();
      return;
    case Change::acquired: place.expires_ms.reset(); break;
    case Change::changed: break;
  }
  if (place.owner == no_host) return set_owner(place, client, event.at);
  if (place.owner != client && attempts_[client].under_way) place.claimed_by = client;
}

void LockKey::set_owner(Place& place, HostIndex owner, Duration at) {
  if (place.owner != owner) place.since = at;
  place.owner = owner;
  place.attempt = attempts_[owner].count;
  place.claimed_by = no_host;
  if (owner == no_host) return place.expires_ms.reset();
  const auto taken = std::ranges::find_if(places_, [&](const auto& known) { return &known.second == &place; });
  std::bitset<64>& servers = attempts_[owner].taken;
  if (taken != places_.end()) servers.set(static_cast<std::size_t>(taken->first) % servers.size());
}

void LockKey::settle(HostIndex client, bool granted, Duration at) {
  attempts_[client].under_way = false;
  for (auto* places : {&places_, &copies_}) {
    for (auto& [server, place] : *places) {
      if (place.claimed_by != client) continue;
      place.claimed_by = no_host;
      if (granted) set_owner(place, client, at);
    }
  }
}

bool LockKey::is_being_taken(const Place& place) const {
  const auto attempts = attempts_.find(place.owner);
  return attempts != attempts_.end() && attempts->second.under_way && attempts->second.count == place.attempt;
}

std::optional<Duration> LockKey::expired_at(HostIndex server, Duration at) const {
  const Place& place = places_.at(server);
  if (!place.expires_ms) return std::nullopt;
  const std::int64_t over_us = clocks_.now(server, lease_clock_, at) - (*place.expires_ms + 1) * 1000;
  if (over_us < 0) return std::nullopt;  // in its last millisecond the key still exists
  return at - Duration(over_us);
}

HostIndex LockKey::owner(HostIndex server, Duration at) const {
  const HostIndex keeper = keeper_.of(server);
  return expired_at(keeper, at) ? no_host : places_.at(keeper).owner;
}

template <class Has>
std::optional<Duration> LockKey::since(Duration at, std::size_t missing, Has has) const {
  std::vector<Duration> without;
  for (const HostIndex server : masters_) {
    const Place& place = places_.at(server);
    const std::optional<Duration> expired = expired_at(server, at);
    if (!has(place.owner)) {
      without.push_back(place.since);
    } else if (expired) {
      without.push_back(*expired);
    }
  }
  if (without.size() < missing) return std::nullopt;
  std::ranges::sort(without);
  return without[missing - 1];
}

std::optional<Duration> LockKey::not_held_since(HostIndex client, Duration at) const {
  return since(at, masters_.size() - quorum() + 1, [&](HostIndex owner) { return owner == client; });
}

std::optional<Duration> LockKey::free_since(Duration at) const {
  return since(at, quorum(), [](HostIndex owner) { return owner != no_host; });
}

bool LockKey::held_by(HostIndex client) const {
  const auto held =
      std::ranges::count_if(masters_, [&](HostIndex server) { return places_.at(server).owner == client; });
  return static_cast<std::size_t>(held) >= quorum();
}

bool LockKey::was_taken_by(HostIndex client) const {
  const auto attempt = attempts_.find(client);
  if (attempt == attempts_.end()) return false;
  const std::bitset<64>& servers = attempt->second.taken;
  const auto taken = std::ranges::count_if(
      masters_, [&](HostIndex server) { return servers.test(static_cast<std::size_t>(server) % servers.size()); });
  return static_cast<std::size_t>(taken) >= quorum();
}

void LockKey::encode(MonitorEncoding& into) const {
  auto& numbers = into.numbers;
  for (const HostIndex master : masters_) numbers.push_back(master);
  for (const auto& [server, place] : places_) numbers.insert(numbers.end(), {place.owner, place.claimed_by});
  for (const auto& [server, place] : copies_) numbers.insert(numbers.end(), {server, place.owner, place.claimed_by});
  for (const auto& [client, attempts] : attempts_) {
    if (attempts.under_way) numbers.push_back(-2 - client);
  }
}

void LockKey::encode(MonitorEncoding& into, Duration age_most) const {
  encode(into);
  auto& numbers = into.numbers;
  for (const auto* places : {&places_, &copies_}) {
    for (const auto& [server, place] : *places) {
      const std::int64_t now_us = clocks_.now(server, lease_clock_, into.now);
      numbers.insert(numbers.end(), {std::min(into.now - place.since, age_most).count(), is_being_taken(place)});
      numbers.push_back(place.expires_ms ? std::max(*place.expires_ms * 1000 - now_us, -age_most.count()) : INT64_MAX);
    }
  }
}

}  // namespace lockproof::check
