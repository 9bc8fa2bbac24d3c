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
class Contention {
 public:
  void see(const Event& event) {
    switch (event.what) {
      case What::attempt: clients_[event.host].asks = true; return meet(event.host);
      case What::enter: return enters(event.host);
      case What::busy:
      case What::failed:
      case What::gave_up:
      case What::died: clients_[event.host].asks = false; return;
      case What::exit: clients_[event.host].inside = false; return;
      case What::execute:
        if (event.peer != no_host && event.command) executes(event.peer, event);
        return;
      default: return;
    }
  }

  /// Whether a client asked while another one was inside.
  [[nodiscard]] bool is_seen() const { return seen_; }
  [[nodiscard]] bool has_grant() const { return granted_; }
  [[nodiscard]] const Keys& made() const { return made_; }
  /// Those that a client had made and that were there when it came in.
  [[nodiscard]] const Keys& held() const { return held_; }
  /// … and that another client's command named meanwhile, and left as they were.
  [[nodiscard]] Keys refused() const { return asked(false); }
  /// … and changed. One that is there for each holder, and never gone between them, only counts or lists who asks.
  [[nodiscard]] Keys joined() const { return handed_over_ ? common(asked(true), passed_on_) : asked(true); }
  /// … and that were gone, and made anew by another client before it came in.
  [[nodiscard]] const Keys& passed_on() const { return passed_on_; }

 private:
  struct Client {
    bool asks = false, inside = false, has_entered = false;
    Keys made{};  // since it has been asking
  };
  struct Key {
    HostIndex maker = no_host;  // no_host: it is not there
    std::set<HostIndex> holders{};
  };
  struct Asking {
    HostIndex maker;
    std::string key;
    bool changes;
  };

  void meet(HostIndex client) {
    clients_[client].made.clear();
    for (const auto& [host, other] : clients_) seen_ |= host != client && other.inside;
  }

  void enters(HostIndex client) {
    Client& entering = clients_[client];
    entering.asks = false;
    entering.inside = entering.has_entered = granted_ = true;
    for (const auto& [host, other] : clients_) handed_over_ |= host != client && other.has_entered;
    for (const auto& [host, other] : clients_) seen_ |= host != client && other.asks;
    for (const std::string& name : entering.made) {
      Key& key = keys_[name];
      if (key.maker != client) continue;
      const bool had_other = std::ranges::any_of(key.holders, [&](HostIndex h) { return h != client; });
      if (had_other && renewed_.contains({client, name})) passed_on_.insert(name);
      key.holders.insert(client);
      held_.insert(name);
    }
    for (const Asking& one : askings_) {
      if (one.maker == client && keys_[one.key].holders.contains(client)) confirmed_.emplace(one.key, one.changes);
    }
    std::erase_if(askings_, [&](const Asking& one) { return one.maker == client; });
  }

  void executes(HostIndex client, const Event& event) {
    if (clients_[client].asks) names(client, event);
    for (const Effect& effect : event.effects) changes(client, effect);
  }

  /// Keys of other clients among the command's words.
  void names(HostIndex client, const Event& event) {
    for (const Value& word : event.command->args()) {
      const auto key = keys_.find(word.bytes());
      if (key == keys_.end() || key->second.maker == no_host || key->second.maker == client) continue;
      const Client& maker = clients_[key->second.maker];
      const bool changes = std::ranges::any_of(event.effects, [&](const Effect& e) {
        return e.key == key->first && (e.change == Change::acquired || e.change == Change::changed);
      });
      if (maker.inside && key->second.holders.contains(key->second.maker)) confirmed_.emplace(key->first, changes);
      if (maker.asks) askings_.push_back({key->second.maker, key->first, changes});
    }
  }

  void changes(HostIndex client, const Effect& effect) {
    Key& key = keys_[effect.key];
    const bool writes = effect.change == Change::acquired || effect.change == Change::changed;
    if (!writes) {
      if (effect.change != Change::renewed) key.maker = no_host;
      return;
    }
    const bool makes = effect.change == Change::acquired || key.maker == no_host;
    if (!clients_[client].asks) return;
    made_.insert(effect.key);
    if (!makes) return;
    if (key.maker == no_host) renewed_.emplace(client, effect.key);
    key.maker = client;
    clients_[client].made.insert(effect.key);
  }

  [[nodiscard]] Keys asked(bool changes) const {
    Keys keys;
    for (const auto& [key, changed] : confirmed_) {
      if (changed == changes) keys.insert(key);
    }
    return keys;
  }

  std::map<HostIndex, Client> clients_;
  std::map<std::string, Key, std::less<>> keys_;
  std::vector<Asking> askings_;                          // while their maker itself was still asking
  std::set<std::pair<HostIndex, std::string>> renewed_;  // by whom a key was made that was not there
  std::set<std::pair<std::string, bool>> confirmed_;     // what was asked for; whether the command changed it
  Keys made_, held_, passed_on_;
  bool seen_ = false, granted_ = false, handed_over_ = false;
};

template <class Fits>
Keys those(const Keys& keys, Fits fits_it) {
  Keys some;
  std::ranges::copy_if(keys, std::inserter(some, some.end()), fits_it);
  return some;
}

/// The fewer, unless none is left.
void narrow(Keys& keys, const Keys& fewer) {
  if (keys.size() > 1 && !fewer.empty()) keys = fewer;
}

ProgramKey chosen(KeySource source, Keys keys, const Contention& seen, std::string_view lock) {
  narrow(keys, common(keys, seen.passed_on()));
  narrow(keys, those(keys, [&](const std::string& key) { return key.find(lock) != std::string::npos; }));
  narrow(keys, those(keys, [&](const std::string& key) { return key.ends_with(lock); }));
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
  Contention seen;
  bool died = false;
  for (const Event& event : history.events) {
    seen.see(event);
    died |= event.what == What::died;
  }
  if (!seen.has_grant())
    return died ? ProgramKey{} : ProgramKey{.source = KeySource::no_grant, .reasons = reasons_of(history)};
  const auto named = [&](const std::string& key) { return pattern.empty() || fits(key, pattern); };
  const Keys made = those(seen.made(), named);
  const KeySource source = pattern.empty() ? KeySource::contention : KeySource::written;
  if (!pattern.empty() && made.empty()) {
    return {.source = KeySource::unmatched,
            .name = std::string(pattern),
            .candidates = {seen.made().begin(), seen.made().end()}};
  }
  for (const Keys& keys : {seen.refused(), seen.joined(), seen.passed_on()}) {
    const Keys candidates = those(keys, named);
    if (!candidates.empty()) return chosen(source, candidates, seen, lock);
  }
  if (!pattern.empty()) return chosen(source, made, seen, lock);
  if (seen.is_seen() || seen.held().empty()) return {.source = KeySource::no_key};
  return chosen(KeySource::only_key, seen.held(), seen, lock);
}

bool may_tell_more(const ProgramKey& key) {
  return key.source != KeySource::contention && key.source != KeySource::written;
}

}  // namespace lockproof::harness
