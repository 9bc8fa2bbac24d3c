// SPDX-License-Identifier: Apache-2.0
#include "search/reexecution/lookahead.hpp"

#include <algorithm>

#include "search/reduction/reexecuted_world.hpp"
#include "sim/kernel/passing_time.hpp"
#include "sim/kernel/path_chooser.hpp"

namespace lockproof::sim {
namespace {

/// Behind the end of a path: no fault strikes, and no client asks.
class PrefixChooser final : public Chooser {
 public:
  PrefixChooser(PathChooser& path, std::size_t from) : path_(path), from_(from) {}
  std::size_t first_of(std::size_t count, const NameOf& name) override { return path_.first_of(count, name); }
  Duration duration(const harness::Window& window, Duration grid, const NameOf& name) override {
    return path_.duration(window, grid, name);
  }
  std::size_t strike(std::size_t count) override { return path_.made() < from_ ? path_.strike(count) : path_.fixed(); }
  std::optional<Ask> ask(const AskOffer& offer) override { return path_.ask(offer); }
  bool asks_at_once(const AskOffer& offer) override {
    return path_.made() < from_ ? path_.asks_at_once(offer) : path_.fixed() == 1;
  }

 private:
  PathChooser& path_;
  const std::size_t from_;
};

/// A world at the end of a path, and its possible continuations.
class PathWorld {
 public:
  PathWorld(const harness::Scenario& scenario, const harness::Bounds& budget, ModelFactory& models, PathChooser& path,
            std::size_t from, int events, bool reduced)
      : nothing_(path, from), reexecuted_(scenario, budget, models, nothing_, reduced, events) {}
  World& world() { return reexecuted_.world(); }

 private:
  PrefixChooser nothing_;
  ReexecutedWorld reexecuted_;
};

}  // namespace

std::vector<Lookahead::PathState> Lookahead::without_faults(const Choices& path, int events) const {
  std::vector<PathState> all;
  PathChooser chooser(path);
  do {
    look_at(stop_);
    chooser.rewind();
    PathWorld walked(scenario_, budget_, models_, chooser, path.size(), events, reduced_);
    if (!walked.world().step()) return {};
    all.push_back({chooser.path(), walked.world().encoding(walked.world().detail_of_its_past())});
  } while (chooser.advance(path.size()));
  return all;
}

const std::vector<Duration>& Lookahead::foreseen(const PathState& state, int events, Duration within, int before) {
  const auto [known, added] = ahead_.try_emplace(state.encoding);
  StateFuture& ahead = known->second;
  if (ahead.within >= within) return ahead.foreseen;
  if (added) {
    PathChooser chooser(state.path);
    PathWorld walked(scenario_, budget_, models_, chooser, state.path.size(), events, reduced_);
    Outlook now = walked.world().outlook();
    ahead.next = now.next;
    ahead.due = std::move(now.events);
    ahead.due.insert(ahead.due.end(), now.readings.begin(), now.readings.end());
  }
  std::vector<Duration> all = ahead.due;
  if (ahead.next && *ahead.next <= within) {
    const int at_once = *ahead.next == Duration{} ? before + 1 : 0;
    if (at_once > ahead_at_one_instant_most) refuse_standing_time(scenario_);
    if (!ahead.walked) ahead.then = without_faults(state.path, events);
    ahead.walked = true;
    for (const PathState& next : ahead.then) {
      for (const Duration instant : foreseen(next, events + 1, within - *ahead.next, at_once)) {
        all.push_back(*ahead.next + instant);
      }
    }
  }
  std::erase_if(all, [&](Duration instant) { return instant > within; });
  sort_once(all);
  ahead.within = within;
  ahead.foreseen = std::move(all);
  return ahead.foreseen;
}

std::vector<Lookahead::ConnectingAsk> Lookahead::asks(const Choices& path, int events) {
  if (!rule_.applies()) return {};
  PathChooser chooser(path);
  PathWorld walked(scenario_, budget_, models_, chooser, path.size(), events, reduced_);
  World& world = walked.world();
  const std::vector<int> clients = world.may_ask();
  if (clients.empty()) return {};
  const std::vector<int> unconnected = world.unconnected(clients);
  Outlook outlook = world.outlook();
  if (outlook.next) {
    for (const PathState& next : without_faults(path, events)) {
      for (const Duration instant : foreseen(next, events + 1, rule_.reach())) {
        outlook.future.push_back(*outlook.next + instant);
      }
    }
  }
  std::vector<ConnectingAsk> all;
  for (const Duration after : rule_.instants(outlook, world.budget().counts())) {
    for (const int client : clients) all.push_back({client, after});
    for (const int client : unconnected) all.push_back({client, after, true});
  }
  return all;
}

}  // namespace lockproof::sim
