// SPDX-License-Identifier: Apache-2.0
// Re-entrancy: a client that acquires the lock n times holds it until it has released it n times, and no longer.
// `freed-early`: a release of its own deleted the key while the client was inside or held the lock more than once.
// `still-held`: its last release was answered well, and the key is still there in its name. A command that a driver
// sends twice is enough for either, where the server only counts.
#include <fmt/format.h>

#include <map>
#include <set>
#include <tuple>

#include "harness/check/lock_key.hpp"

namespace lockproof::check {
namespace {

using harness::Event;
using harness::HostIndex;
using harness::What;

class ReEntrancy final : public Copyable<ReEntrancy> {
 public:
  ReEntrancy(const harness::Header& header, const harness::Scenario& scenario)
      : header_(header), lock_(scenario.lock), key_(header, scenario) {}

  void see(std::size_t position, const Event& event) override {
    const bool held = event.what == What::execute && key_.held_by(event.peer);
    key_.see(event);
    Client& client = clients_[event.what == What::execute ? event.peer : event.host];
    switch (event.what) {
      case What::attempt:
      case What::renew: client.releasing = false; return;
      case What::release: client.releasing = true; return;
      case What::granted: client.depth = static_cast<int>(event.value.value_or(1)); return;
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
    for (const auto& [client, server, number] : releases_) {
      if (!into.in_flight(client, server, number)) continue;
      numbers.insert(numbers.end(), {-1, client, server, into.distance(client, server, number)});
    }
  }

 private:
  struct Client {
    int depth = 0;
    bool inside = false;
    bool releasing = false;  // its commands are now part of a release
  };

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
    if (before == 0 || client.depth > 0 || event.word != "yes" || !key_.held_by(event.host)) return;
    find(position, "still-held",
         fmt::format("{} has released the lock as often as it acquired it, and the servers still hold it in its name",
                     place(header_, event)));
  }

  void find(std::size_t position, const char* kind, std::string what) {
    if (found_.verdict == Verdict::violated) return;
    found_ = {"", Verdict::violated, kind, std::move(what), {position}};
  }

  const harness::Header& header_;
  const std::string lock_;
  LockKey key_;
  std::map<HostIndex, Client> clients_;
  std::set<std::tuple<HostIndex, HostIndex, int>> releases_;  // commands: client, server, number
  Finding found_;
};

}  // namespace

std::unique_ptr<Monitor> watch_re_entrancy(const harness::Header& header, const harness::Scenario& scenario) {
  return std::make_unique<ReEntrancy>(header, scenario);
}

Finding re_entrancy(const harness::History& history, const harness::Scenario& scenario) {
  return judge_with(watch_re_entrancy, history, scenario);
}

}  // namespace lockproof::check
