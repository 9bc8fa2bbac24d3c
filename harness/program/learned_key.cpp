// SPDX-License-Identifier: Apache-2.0
#include "harness/program/learned_key.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "harness/program/event_name.hpp"
#include "harness/program/said.hpp"

namespace lockproof::harness {
namespace {

using Keys = std::set<std::string>;

constexpr std::size_t reasons_most = 4, refusal_most = 200;

Keys common(const Keys& one, const Keys& other) {
  Keys both;
  std::ranges::set_intersection(one, other, std::inserter(both, both.end()));
  return both;
}

/// What clients did to keys for the lock, event by event. A key counts if a client made it while it asked for the lock:
/// what a program makes as it sets itself up is not the lock.
class KeyContention {
 public:
  void record(const Event& event) {
    switch (event.what) {
      case What::attempt: clients_[event.host].asks = true; return record_attempt(event.host);
      case What::enter: return record_entry(event.host);
      case What::busy:
      case What::failed:
      case What::gave_up:
      case What::died: clients_[event.host].asks = false; return;
      case What::exit: clients_[event.host].inside = false; return;
      case What::execute:
        if (event.peer != no_host && event.command) record_command(event.peer, event);
        return;
      default: return;
    }
  }

  /// Whether a client asked while another one was inside.
  [[nodiscard]] bool was_contended() const { return contended_; }
  [[nodiscard]] bool has_grant() const { return granted_; }
  [[nodiscard]] const Keys& made_keys() const { return made_keys_; }
  /// Those that a client had made and that were there when it came in.
  [[nodiscard]] const Keys& held_keys() const { return held_keys_; }
  /// … and that another client's command named meanwhile, and left as they were.
  [[nodiscard]] Keys requested_keys() const { return keys_asked_for(false); }
  /// … and changed. One that is there for each holder, and never gone between them, only counts or lists who asks.
  [[nodiscard]] Keys shared_keys() const {
    return had_successor_ ? common(keys_asked_for(true), passed_keys_) : keys_asked_for(true);
  }
  /// … and that were gone, and made anew by another client before it came in.
  [[nodiscard]] const Keys& passed_keys() const { return passed_keys_; }

 private:
  struct Client {
    bool asks = false, inside = false, has_entered = false;
    Keys made{};  // since it has been asking
  };
  struct Key {
    HostIndex maker = no_host;  // no_host: it is not there
    std::set<HostIndex> holders{};
  };
  struct Request {
    HostIndex maker;
    std::string key;
    bool changes;
  };

  void record_attempt(HostIndex client) {
    clients_[client].made.clear();
    for (const auto& [host, other] : clients_) contended_ |= host != client && other.inside;
  }

  void record_entry(HostIndex client) {
    Client& entering = clients_[client];
    entering.asks = false;
    entering.inside = entering.has_entered = granted_ = true;
    for (const auto& [host, other] : clients_) had_successor_ |= host != client && other.has_entered;
    for (const auto& [host, other] : clients_) contended_ |= host != client && other.asks;
    for (const std::string& name : entering.made) {
      Key& key = keys_[name];
      if (key.maker != client) continue;
      const bool had_other = std::ranges::any_of(key.holders, [&](HostIndex h) { return h != client; });
      if (had_other && makers_.contains({client, name})) passed_keys_.insert(name);
      key.holders.insert(client);
      held_keys_.insert(name);
    }
    for (const Request& one : early_requests_) {
      if (one.maker == client && keys_[one.key].holders.contains(client)) requests_.emplace(one.key, one.changes);
    }
    std::erase_if(early_requests_, [&](const Request& one) { return one.maker == client; });
  }

  void record_command(HostIndex client, const Event& event) {
    if (clients_[client].asks) record_requests(client, event);
    for (const Effect& effect : event.effects) record_change(client, effect);
  }

  /// Keys of other clients among the command's words.
  void record_requests(HostIndex client, const Event& event) {
    for (const Value& word : event.command->args()) {
      const auto key = keys_.find(word.bytes());
      if (key == keys_.end() || key->second.maker == no_host || key->second.maker == client) continue;
      const Client& maker = clients_[key->second.maker];
      const bool changes = std::ranges::any_of(event.effects, [&](const Effect& e) {
        return e.key == key->first && (e.change == Change::acquired || e.change == Change::changed);
      });
      if (maker.inside && key->second.holders.contains(key->second.maker)) requests_.emplace(key->first, changes);
      if (maker.asks) early_requests_.push_back({key->second.maker, key->first, changes});
    }
  }

  void record_change(HostIndex client, const Effect& effect) {
    Key& key = keys_[effect.key];
    const bool writes = effect.change == Change::acquired || effect.change == Change::changed;
    if (!writes) {
      if (effect.change != Change::renewed) key.maker = no_host;
      return;
    }
    const bool makes = effect.change == Change::acquired || key.maker == no_host;
    if (!clients_[client].asks) return;
    made_keys_.insert(effect.key);
    if (!makes) return;
    if (key.maker == no_host) makers_.emplace(client, effect.key);
    key.maker = client;
    clients_[client].made.insert(effect.key);
  }

  [[nodiscard]] Keys keys_asked_for(bool changes) const {
    Keys keys;
    for (const auto& [key, changed] : requests_) {
      if (changed == changes) keys.insert(key);
    }
    return keys;
  }

  std::map<HostIndex, Client> clients_;
  std::map<std::string, Key, std::less<>> keys_;
  std::vector<Request> early_requests_;                 // while their maker itself was still asking
  std::set<std::pair<HostIndex, std::string>> makers_;  // by whom a key was made that was not there
  std::set<std::pair<std::string, bool>> requests_;     // what was asked for; whether the command changed it
  Keys made_keys_, held_keys_, passed_keys_;
  bool contended_ = false, granted_ = false, had_successor_ = false;
};

template <class Fits>
Keys keys_that(const Keys& keys, Fits fits_it) {
  Keys some;
  std::ranges::copy_if(keys, std::inserter(some, some.end()), fits_it);
  return some;
}

/// The fewer, unless none is left.
void narrow(Keys& keys, const Keys& fewer) {
  if (keys.size() > 1 && !fewer.empty()) keys = fewer;
}

ProgramKey key_among(KeySource source, Keys keys, const KeyContention& contention, std::string_view lock) {
  narrow(keys, common(keys, contention.passed_keys()));
  narrow(keys, keys_that(keys, [&](const std::string& key) { return key.find(lock) != std::string::npos; }));
  narrow(keys, keys_that(keys, [&](const std::string& key) { return key.ends_with(lock); }));
  if (keys.size() == 1) return {.source = source, .name = *keys.begin()};
  return {.source = KeySource::ambiguous, .candidates = {keys.begin(), keys.end()}};
}

/// What the programs said, then what servers refused and no program repeated, then who got no answer. The latest comes
/// first: after it, nobody went on.
std::vector<std::string> reasons_of(const History& history) {
  std::vector<std::string> reasons;
  std::string all_said;
  std::map<HostIndex, What> last;  // of each client: whether its acquire was answered
  const auto add = [&](std::string reason) {
    if (reasons.size() < reasons_most && std::ranges::find(reasons, reason) == reasons.end())
      reasons.push_back(std::move(reason));
  };
  for (const Event& event : history.events) {
    if (event.what == What::attempt || event.what == What::busy || event.what == What::failed)
      last[event.host] = event.what;
    if (event.what == What::failed) all_said += event.word;
  }
  const std::vector<Event> latest_first(history.events.rbegin(), history.events.rend());
  for (const Event& event : latest_first) {
    if (event.what == What::failed && !event.word.empty()) add("the program says: " + event.word);
  }
  for (const Event& event : latest_first) {
    if (event.what != What::execute || !event.reply || !event.reply->is_error() || !event.command) continue;
    const std::string answer = shown(event.reply->value().bytes(), refusal_most);
    if (all_said.find(answer) != std::string::npos) continue;
    add(fmt::format("{} answers {} with: {}", history.host_name(event.host), event_verb(*event.command), answer));
  }
  for (const auto& [client, what] : last) {
    if (what == What::busy) add(history.host_name(client) + " was told that it is busy");
    if (what == What::attempt) add(history.host_name(client) + " got no answer");
  }
  return reasons;
}

}  // namespace

ProgramKey learned_key(const History& history, std::string_view lock, std::string_view pattern) {
  KeyContention contention;
  bool died = false;
  for (const Event& event : history.events) {
    contention.record(event);
    died |= event.what == What::died;
  }
  if (!contention.has_grant())
    return died ? ProgramKey{} : ProgramKey{.source = KeySource::no_grant, .reasons = reasons_of(history)};
  const auto named = [&](const std::string& key) { return pattern.empty() || fits(key, pattern); };
  const Keys made = keys_that(contention.made_keys(), named);
  const KeySource source = pattern.empty() ? KeySource::contention : KeySource::written;
  if (!pattern.empty() && made.empty()) {
    return {.source = KeySource::unmatched,
            .name = std::string(pattern),
            .candidates = {contention.made_keys().begin(), contention.made_keys().end()}};
  }
  for (const Keys& keys : {contention.requested_keys(), contention.shared_keys(), contention.passed_keys()}) {
    const Keys candidates = keys_that(keys, named);
    if (!candidates.empty()) return key_among(source, candidates, contention, lock);
  }
  if (!pattern.empty()) return key_among(source, made, contention, lock);
  if (contention.was_contended() || contention.held_keys().empty()) return {.source = KeySource::no_key};
  return key_among(KeySource::only_key, contention.held_keys(), contention, lock);
}

bool may_tell_more(const ProgramKey& key) {
  return key.source != KeySource::contention && key.source != KeySource::written;
}

}  // namespace lockproof::harness
