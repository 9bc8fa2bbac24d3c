// SPDX-License-Identifier: Apache-2.0
#include "search/fuzz/coverage.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace lockproof::sim {
namespace {

using harness::Event;
using harness::HostIndex;
using harness::HostKind;
using harness::What;

struct Client {
  std::string phase = "away";
  std::optional<Duration> deadline;  // of its grant, by world time as if no clock had an offset
  bool stands_still = false, renews = false, notified = false;
};

class Situation {
 public:
  Situation(const harness::History& history, const harness::Scenario& scenario)
      : history_(history), lock_(scenario.lock), servers_(scenario.servers.size()) {
    for (const harness::Host& host : history.header.hosts) {
      if (host.kind == HostKind::client) clients_.emplace_back();
    }
  }

  /// Whether anything changed that combinations depend on.
  bool see(const Event& event) {
    if (event.what == What::strike) return strikes(event), true;
    if (event.host == harness::no_host) return false;
    if (history_.host_kind(event.host) == HostKind::server) return server(event);
    if (history_.host_kind(event.host) != HostKind::client) return false;
    return client(clients_[static_cast<std::size_t>(event.host)], event);
  }

  [[nodiscard]] std::string text(Duration now) const {
    std::vector<std::string> all;
    for (const Client& c : clients_) all.push_back(phase_of(c, now));
    std::ranges::sort(all);
    std::size_t with_key = 0;
    for (const auto& [server, there] : key_) with_key += there;
    const char* keys = with_key == 0 ? "none" : with_key == servers_ ? "all" : with_key * 2 > servers_ ? "most" : "few";
    std::string words = fmt::format("{}, key on {}", fmt::join(all, " "), keys);
    for (const std::string& fault : faults_) words += ", " + fault;
    return words;
  }

 private:
  static std::string phase_of(const Client& c, Duration now) {
    std::string text = c.phase;
    if (c.phase == "inside" && c.deadline && now > *c.deadline) text = "late";
    if (c.renews && c.phase == "inside") text += "-renewing";
    if (c.notified) text += "-notified";
    if (c.stands_still) text += "-still";
    return text;
  }

  void strikes(const Event& event) {
    const bool of_client = event.host != harness::no_host && history_.host_kind(event.host) == HostKind::client;
    std::string doing = "a server";
    if (of_client) {
      Client& c = clients_[static_cast<std::size_t>(event.host)];
      doing = phase_of(c, event.at);
      if (harness::stands_still(event.word)) c.stands_still = true;
      if (event.word == "crash" || event.word == "kill-task") c = {.phase = "dead", .deadline = {}};
    } else {
      const bool empties = event.word == "flush" || event.word == "evict";
      if (empties) key_[event.host] = false;
    }
    faults_.insert(fmt::format("{} of {}", event.word, doing));
  }

  bool server(const Event& event) {
    bool changed = false;
    for (const harness::Effect& effect : event.effects) {
      if (effect.key != lock_) continue;
      if (effect.change == harness::Change::renewed) continue;
      const bool there = effect.change == harness::Change::acquired || effect.change == harness::Change::changed;
      if (std::exchange(key_[event.host], there) != there) changed = true;
    }
    return changed;
  }

  static bool client(Client& c, const Event& event) {
    const auto now = [&](const char* phase) {
      if (c.phase == "dead") return false;
      c.phase = phase;
      return true;
    };
    switch (event.what) {
      case What::start: return now("trying");
      case What::attempt: return c.phase == "inside" ? false : now("asking");
      case What::granted:
        if (event.left) c.deadline = event.at + event.left->time;
        return false;
      case What::busy:
      case What::failed: return c.phase == "inside" ? false : now("waiting");
      case What::enter: c.notified = false; return now("inside");
      case What::exit: return now("leaving");
      case What::release: return c.phase == "inside" ? false : now("releasing");
      case What::released: return c.phase == "inside" ? false : now("away");
      case What::renew: c.renews = true; return true;
      case What::renewed:
        if (event.left) c.deadline = event.at + event.left->time;
        [[fallthrough]];
      case What::renewal_failed: c.renews = false; return true;
      case What::lost: c.notified = true; return true;
      case What::gave_up:
      case What::finished: return now("gone");
      case What::heal: c.stands_still = false; return true;
      default: return false;
    }
  }

  const harness::History& history_;
  const std::string lock_;
  const std::size_t servers_;
  std::vector<Client> clients_;
  std::map<HostIndex, bool> key_;
  std::set<std::string> faults_;
};

}  // namespace

std::set<std::string> combinations(const harness::History& history, const harness::Scenario& scenario) {
  std::set<std::string> met;
  Situation situation(history, scenario);
  for (const Event& event : history.events) {
    if (situation.see(event)) met.insert(situation.text(event.at));
  }
  return met;
}

}  // namespace lockproof::sim
