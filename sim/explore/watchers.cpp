// SPDX-License-Identifier: Apache-2.0
#include "sim/explore/watchers.hpp"

#include <map>

namespace lockproof::sim {

using harness::Event;
using harness::HostIndex;
using harness::What;

namespace {

bool is_trait(const check::Property& property) { return property.name == "mutual-exclusion"; }

}  // namespace

/// The monitors themselves, with a time and numbers of their own.
class Watchers::Running {
 public:
  explicit Running(const Watchers& of) {
    for (const check::Property& property : check::properties()) {
      if (!property.watch || is_trait(property) || !check::states_bound(property, of.shared_.scenario)) continue;
      monitors_.push_back(property.watch(of.header_, of.shared_.scenario));
      names_.emplace_back(property.name);
    }
  }

  Ways see(const std::vector<Event>& events) {
    std::map<std::pair<HostIndex, HostIndex>, int> sends;
    for (const Event& event : events) {
      if (event.what == What::send) ++sends[{event.host, event.peer}];
    }
    for (const auto& [link, count] : sends) last_[link] += count;
    for (Event event : events) {
      event.at = now_;
      if (event.what == What::send || event.what == What::drop) event.message += last_[{event.host, event.peer}];
      if (event.what == What::execute) event.message += last_[{event.peer, event.host}];
      for (const auto& monitor : monitors_) monitor->see(0, event);
    }
    Ways broken;
    for (std::size_t i = 0; i < monitors_.size(); ++i) {
      const check::Finding finding = monitors_[i]->finding();
      if (finding.verdict == check::Verdict::violated) broken.emplace_back(names_[i], finding.kind);
      monitors_[i]->forget();
    }
    return broken;
  }
  void age(Duration by) { now_ += by; }

  [[nodiscard]] std::string identity() const {
    check::Declaration declaration{.now = now_,
                                   .in_flight = [](HostIndex, HostIndex, int) { return true; },
                                   .distance =
                                       [&](HostIndex c, HostIndex s, int n) {
                                         const auto sent = last_.find({c, s});
                                         return (sent == last_.end() ? 0 : sent->second) - n;
                                       },
                                   .numbers = {}};
    Identity into;
    for (const auto& monitor : monitors_) {
      declaration.numbers.clear();
      monitor->declare(declaration);
      into.number(static_cast<std::int64_t>(declaration.numbers.size()));
      for (const std::int64_t n : declaration.numbers) into.number(n);
    }
    return into.take();
  }

 private:
  std::vector<std::unique_ptr<check::Monitor>> monitors_;
  std::vector<std::string> names_;
  std::map<std::pair<HostIndex, HostIndex>, int> last_;  // number of the command sent last
  Duration now_{};
};

Watchers::Watchers(Shared& shared) : shared_(shared), timed_(shared.scenario.takeover.has_value()) {
  for (const auto& client : shared.scenario.clients) header_.hosts.push_back({client.name, harness::HostKind::client});
  for (const auto& server : shared.scenario.servers) header_.hosts.push_back({server.name, harness::HostKind::server});
  header_.hosts.push_back({"resource", harness::HostKind::resource});
  for (const check::Property& property : check::properties()) {
    if (property.watch && check::states_bound(property, shared.scenario)) judged_.emplace_back(property.name);
  }
  add(Running(*this), {0, {}, EventLists::empty});
}

void Watchers::make(Running& running, Id state) const {
  std::vector<const State*> path;
  for (; state != 0; state = states_[state].parent) path.push_back(&states_[state]);
  for (auto step = path.rbegin(); step != path.rend(); ++step) {
    running.age((*step)->by);
    if ((*step)->events != EventLists::empty) (void)running.see(shared_.events.at((*step)->events));
  }
}

Id Watchers::add(const Running& running, State state) {
  const auto [id, is_new] = interner_.add(running.identity());
  if (is_new) states_.push_back(state);
  return id;
}

Id Watchers::aged(Id state, Duration by) {
  if (!timed_) return state;
  const Key128 key{static_cast<std::uint64_t>(by.count()), state};
  const Id known = ages_.find(key);
  if (known != FlatMap::none) return known;
  Running running(*this);
  make(running, state);
  running.age(by);
  const Id id = add(running, {state, by, EventLists::empty});
  ages_.insert(key, id);
  return id;
}

const Watchers::Seen& Watchers::seen(Id state, Id events) {
  const Key128 key{events, state};
  const Id known = steps_.find(key);
  if (known != FlatMap::none) return seen_[known];
  Running running(*this);
  make(running, state);
  Seen seen{0, running.see(shared_.events.at(events))};
  seen.state = add(running, {state, {}, events});
  steps_.insert(key, static_cast<Id>(seen_.size()));
  seen_.push_back(std::move(seen));
  return seen_.back();
}

}  // namespace lockproof::sim
