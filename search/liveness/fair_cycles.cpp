// SPDX-License-Identifier: Apache-2.0
#include "search/liveness/fair_cycles.hpp"

#include <algorithm>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/strong_components.hpp>
#include <climits>
#include <deque>
#include <numeric>
#include <set>
#include <tuple>

namespace lockproof::sim {
namespace {

constexpr std::uint32_t none = UINT32_MAX;

/// The strongly connected component of each state. It checks the token at each state that it writes.
struct Components {
  using key_type = std::size_t;
  using value_type = std::uint32_t;
  using reference = std::uint32_t&;
  using category = boost::read_write_property_map_tag;
  std::vector<std::uint32_t>& of;
  const std::stop_token& stop;

  friend void put(const Components& components, std::size_t state, std::uint32_t component) {
    look_at(components.stop);
    components.of[state] = component;
  }
  friend std::uint32_t get(const Components& components, std::size_t state) { return components.of[state]; }
};

bool has(FairCycles::Clients clients, std::size_t client) { return (clients >> client & 1) != 0; }

}  // namespace

/// The path to each state with the fewest faults and then events.
struct FairCycles::SearchDepth {
  std::vector<int> faults, depth;
  std::vector<std::uint32_t> by;  // the last event on it

  [[nodiscard]] std::vector<std::uint32_t> stem(std::uint32_t state, const std::vector<Event>& events) const {
    std::vector<std::uint32_t> stem;
    for (; by[state] != none; state = events[by[state]].from) stem.push_back(by[state]);
    std::ranges::reverse(stem);
    return stem;
  }
};

/// The events that do not give the lock to the client that is to starve, in their end components.
struct FairCycles::Region {
  std::vector<std::uint32_t> component;          // of each state
  std::vector<bool> fair;                        // by component: it has a turn of the kind that is searched
  std::vector<std::vector<std::uint32_t>> from;  // the remaining events, by state
};

FairCycles::SearchDepth FairCycles::reach(const std::stop_token& stop) const {
  std::vector<std::vector<std::uint32_t>> from(wants_.size());
  for (std::uint32_t e = 0; e < events_.size(); ++e) from[events_[e].from].push_back(e);
  SearchDepth reached{std::vector<int>(wants_.size(), INT_MAX), std::vector<int>(wants_.size(), INT_MAX),
                      std::vector<std::uint32_t>(wants_.size(), none)};
  if (wants_.empty()) return reached;
  reached.faults[0] = reached.depth[0] = 0;
  std::set<std::tuple<int, int, std::uint32_t>> next{{0, 0, 0}};
  while (!next.empty()) {
    look_at(stop);
    const auto [faults, depth, state] = *next.begin();
    next.erase(next.begin());
    for (const std::uint32_t e : from[state]) {
      const Event& event = events_[e];
      const auto now = std::tuple(reached.faults[event.to], reached.depth[event.to]);
      if (std::tuple(faults + event.faults, depth + 1) >= now) continue;
      next.erase({std::get<0>(now), std::get<1>(now), event.to});
      reached.faults[event.to] = faults + event.faults;
      reached.depth[event.to] = depth + 1;
      reached.by[event.to] = e;
      next.emplace(faults + event.faults, depth + 1, event.to);
    }
  }
  return reached;
}

/// `order`: the events, by state and act.
FairCycles::Region FairCycles::region(std::size_t client, bool others_get_it, const std::vector<std::uint32_t>& order,
                                      const std::stop_token& stop) const {
  const auto harmless = [&](const Event& e) {
    return e.faults == 0 && has(wants_[e.from], client) && has(wants_[e.to], client) && !has(e.gets_it, client) &&
           (others_get_it || e.gets_it == 0);
  };
  std::vector<bool> left(events_.size());
  for (std::size_t e = 0; e < events_.size(); ++e) left[e] = harmless(events_[e]);
  Region region;
  region.component.resize(wants_.size());
  std::size_t components = 0;
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
    for (std::size_t e = 0; e < events_.size(); ++e) {
      if (left[e]) edges.emplace_back(events_[e].from, events_[e].to);
    }
    using Graph = boost::compressed_sparse_row_graph<boost::directedS>;
    const Graph graph(boost::edges_are_unsorted_multi_pass, edges.begin(), edges.end(), wants_.size());
    components = boost::strong_components(graph, Components{region.component, stop});
    const auto stays = [&](std::uint32_t e) {
      return left[e] && region.component[events_[e].from] == region.component[events_[e].to];
    };
    // An act stays only if all its outcomes of random draws stay.
    for (std::size_t i = 0; i < order.size();) {
      const auto act = [&](std::size_t at) { return std::pair(events_[order[at]].from, events_[order[at]].act); };
      std::size_t end = i;
      bool all_stay = true, some = false;
      for (; end < order.size() && act(end) == act(i); ++end) {
        all_stay = all_stay && stays(order[end]);
        some = some || left[order[end]];
      }
      for (; i < end; ++i) {
        if (!all_stay) left[order[i]] = false;
      }
      changed = changed || (some && !all_stay);
    }
  }
  std::vector<bool> time(components, false), gets(components, !others_get_it);
  region.from.resize(wants_.size());
  for (std::uint32_t e = 0; e < events_.size(); ++e) {
    if (!left[e]) continue;
    const Event& event = events_[e];
    region.from[event.from].push_back(e);
    if (event.time_passes) time[region.component[event.from]] = true;
    if (event.gets_it != 0) gets[region.component[event.from]] = true;
  }
  region.fair.resize(components);
  for (std::size_t c = 0; c < components; ++c) region.fair[c] = time[c] && gets[c];
  return region;
}

/// The shortest path from a state back to it on which time passes and, if others are to get the lock, one does.
std::vector<std::uint32_t> FairCycles::turn(const Region& region, std::uint32_t start, bool others_get_it) const {
  constexpr unsigned time = 1, grant = 2, all = 3;
  const auto place = [](std::uint32_t state, unsigned seen) { return std::size_t{state} * 4 + seen; };
  std::vector<std::uint32_t> by(wants_.size() * 4, none);  // the event that led there
  std::vector<std::uint8_t> before(wants_.size() * 4, 0);  // what had occurred by then
  const unsigned first = others_get_it ? 0u : grant;
  std::deque<std::pair<std::uint32_t, unsigned>> next{{start, first}};
  while (!next.empty()) {
    const auto [state, seen] = next.front();
    next.pop_front();
    for (const std::uint32_t e : region.from[state]) {
      const Event& event = events_[e];
      const unsigned now = seen | (event.time_passes ? time : 0u) | (event.gets_it != 0 ? grant : 0u);
      if (by[place(event.to, now)] != none) continue;
      by[place(event.to, now)] = e;
      before[place(event.to, now)] = static_cast<std::uint8_t>(seen);
      next.emplace_back(event.to, now);
    }
    if (by[place(start, all)] != none) break;
  }
  std::vector<std::uint32_t> turn;
  std::uint32_t state = start;
  unsigned seen = all;
  do {
    const std::size_t at = place(state, seen);
    turn.push_back(by[at]);
    seen = before[at];
    state = events_[by[at]].from;
  } while (state != start || seen != first);
  std::ranges::reverse(turn);
  return turn;
}

std::vector<Lasso> FairCycles::lassos(std::size_t most, const std::stop_token& stop) const {
  const SearchDepth reached = reach(stop);
  std::vector<std::uint32_t> order(events_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t e) { return std::pair(events_[e].from, events_[e].act); });
  std::vector<std::uint32_t> near(wants_.size());  // states, the nearest first
  std::iota(near.begin(), near.end(), 0u);
  std::ranges::sort(near, {}, [&](std::uint32_t s) { return std::tuple(reached.faults[s], reached.depth[s], s); });
  std::vector<bool> goes_on(wants_.size(), false);
  for (const Event& event : events_) goes_on[event.from] = true;
  Clients anybody = 0;
  for (const Clients wants : wants_) anybody |= wants;

  std::vector<Lasso> lassos;
  for (std::size_t client = 0; client < 64; ++client) {
    if (!has(anybody, client)) continue;
    for (const bool others_get_it : {false, true}) {
      const Region region = this->region(client, others_get_it, order, stop);
      std::set<std::uint32_t> taken;
      std::size_t found = 0;
      for (const std::uint32_t state : near) {
        look_at(stop);
        if (found == most || reached.depth[state] == INT_MAX) break;
        if (!has(wants_[state], client)) continue;
        Lasso lasso{{}, {}, client, others_get_it, reached.faults[state]};
        if (goes_on[state]) {
          const std::uint32_t component = region.component[state];
          if (!region.fair[component] || !taken.insert(component).second) continue;
          lasso.turn = turn(region, state, others_get_it);
        } else if (others_get_it) {
          continue;
        }
        lasso.stem = reached.stem(state, events_);
        lassos.push_back(std::move(lasso));
        ++found;
      }
    }
  }
  std::ranges::stable_sort(lassos, {}, [](const Lasso& l) { return std::tuple(l.faults, l.stem.size()); });
  return lassos;
}

}  // namespace lockproof::sim
