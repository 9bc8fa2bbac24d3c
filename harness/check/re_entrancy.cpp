// SPDX-License-Identifier: Apache-2.0
// Re-entrancy: a client that acquires the lock n times holds it until it has released it n times, and no longer.
// `freed-early`: a release of its own deleted the key while the client was inside or held the lock more than once.
// `still-held`: its last release was answered well, and the key is still there in its name. A command that a driver
// sends twice is enough for either, where the server only counts. Of a key that several clients have written to a
// release takes its client's part: what is left then is the others'.
#include <fmt/format.h>

#include <map>
#include <set>
#include <tuple>

#include "harness/check/by_lock.hpp"
#include "harness/check/lock_key.hpp"

namespace lockproof::check {
namespace {

using harness::Event;
using harness::HostIndex;
using harness::What;

class ReEntrancy final : public CopyableMonitor<ReEntrancy> {
 public:
  ReEntrancy(const harness::Header& header, const harness::Scenario& scenario)
      : header_(header), lock_(scenario.lock), key_(header, scenario), keeper_(header, scenario) {}

  void see(std::size_t position, const Event& event) override {
    const bool held = event.what == What::execute && key_.held_by(event.peer);
    key_.see(event);
    const bool may_write = event.what == What::execute || event.what == What::strike;
    if (may_write && header_.host_kind(event.host) == harness::HostKind::server) follow_parts(event);
    Client& client = clients_[event.what == What::execute ? event.peer : event.host];
    switch (event.what) {
      case What::attempt:
      case What::renew: client.releasing = false; return;
      case What::release: client.releasing = true; return;
      case What::granted:
        client.depth = static_cast<int>(event.value.value_or(1));
        client.nested |= client.depth > 1;
        return;
      case What::enter: client.inside = true; return;
      case What::exit: client.inside = false; return;
      case What::send:
        if (client.releasing) releases_.insert({event.host, event.peer, event.message});
        return;
      case What::execute:
        if (held && releases_.contains({event.peer, event.host, event.message})) freed(position, event, client);
        releases_.erase({event.peer, event.host, event.message});
        return;
      case What::drop: releases_.erase({event.host, event.peer, event.message}); return;
      case What::released: return released(position, event, client);
      default: return;
    }
  }
  [[nodiscard]] Finding finding() const override { return found_; }
  void forget() override { found_ = {}; }

  void encode(MonitorEncoding& into) const override {
    auto& numbers = into.numbers;
    key_.encode(into);
    for (const auto& [host, client] : clients_) {
      if (client.depth == 0 && !client.inside && !client.releasing) continue;
      numbers.insert(numbers.end(), {host, client.depth, client.inside, client.releasing});
    }
    for (const auto& [server, clients] : parts_) {
      const bool of_owner = clients.size() == 1 && clients.contains(key_.owner_noted(server));
      if (clients.empty() || of_owner) continue;
      numbers.insert(numbers.end(), {-3, server});
      numbers.insert(numbers.end(), clients.begin(), clients.end());
    }
    for (const auto& [client, server, number] : releases_) {
      if (!into.in_flight(client, server, number)) continue;
      numbers.insert(numbers.end(), {-1, client, server, into.distance(client, server, number)});
    }
  }

 private:
  struct Client {
    int depth = 0;
    bool inside = false;
    bool nested = false;     // it has acquired the lock while it had it
    bool releasing = false;  // its commands are now part of a release
  };

  /// Follows who has a part of the key on a server: who has written to it since it was made whole. A release that
  /// changes a key of several clients takes its client's part away.
  void follow_parts(const Event& event) {
    std::set<HostIndex>& parts = parts_[keeper_.of(event.host)];
    bool changes = false;
    for (const harness::Effect& effect : event.effects) {
      if (effect.key != lock_) continue;
      switch (effect.change) {
        case harness::Change::acquired: parts = {event.peer}; break;
        case harness::Change::changed: parts.insert(event.peer); break;
        case harness::Change::released:
        case harness::Change::expired:
        case harness::Change::evicted: parts.clear(); break;
        case harness::Change::renewed: break;
      }
      changes |= effect.change == harness::Change::changed;
    }
    const bool releases = event.what == What::execute && releases_.contains({event.peer, event.host, event.message});
    if (releases && changes && parts.size() > 1) parts.erase(event.peer);
    if (key_.owner_noted(event.host) == harness::no_host) parts.clear();
  }

  /// Whether a majority of the servers has the key in the client's name, and its own part in it.
  [[nodiscard]] bool has_part(HostIndex client) const {
    const auto has = std::ranges::count_if(key_.masters(), [&](HostIndex server) {
      const auto parts = parts_.find(keeper_.of(server));
      const bool gone = parts != parts_.end() && !parts->second.empty() && !parts->second.contains(client);
      return key_.owner_noted(server) == client && !gone;
    });
    return static_cast<std::size_t>(has) >= key_.quorum();
  }

  void freed(std::size_t position, const Event& event, const Client& client) {
    if (!client.inside && client.depth < 2) return;
    bool removed = false;
    for (const harness::Effect& effect : event.effects) {
      removed |= effect.key == lock_ && effect.change == harness::Change::released;
    }
    if (!removed || key_.held_by(event.peer)) return;
    find(position, "freed-early",
         fmt::format("a release of {}'s own freed the lock on {}, while it still held it",
                     header_.host_name(event.peer), place(header_, event)));
  }

  void released(std::size_t position, const Event& event, Client& client) {
    const int before = client.depth;
    client.depth = static_cast<int>(event.value.value_or(0));
    client.releasing = false;
    if (before == 0 || client.depth > 0 || event.word != "yes" || !has_part(event.host)) return;
    find(position, "still-held",
         fmt::format("{} has released the lock{}, and the servers still hold it in its name", place(header_, event),
                     client.nested ? " as often as it acquired it" : ""));
  }

  void find(std::size_t position, const char* kind, std::string what) {
    if (found_.verdict == Verdict::violated) return;
    found_ = {"", Verdict::violated, kind, std::move(what), {position}};
  }

  const harness::Header& header_;
  const std::string lock_;
  LockKey key_;
  const Keeper keeper_;
  std::map<HostIndex, Client> clients_;
  std::map<HostIndex, std::set<HostIndex>> parts_;            // by server: the clients that have a part of the key
  std::set<std::tuple<HostIndex, HostIndex, int>> releases_;  // commands: client, server, number
  Finding found_;
};

}  // namespace

std::unique_ptr<Monitor> watch_re_entrancy(const harness::Header& header, const harness::Scenario& scenario) {
  return watch_each_lock<ReEntrancy>(header, scenario);
}

Finding re_entrancy(const harness::History& history, const harness::Scenario& scenario) {
  return judge_with(watch_re_entrancy, history, scenario);
}

}  // namespace lockproof::check
