// SPDX-License-Identifier: Apache-2.0
// Chooser: the one source of everything that a simulated run leaves open. Random, scripted and exhaustive
// search are implementations of it; the world asks, and never draws by itself.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "algorithms/port/pinned_object.hpp"
#include "harness/scenario/scenario.hpp"

namespace lockproof::sim {

/// Names of events are made only for the choosers that look at them.
using NameOf = std::function<harness::EventName(std::size_t candidate)>;

/// Clients that want the lock and may ask for it before anything else happens.
struct AskOffer {
  std::vector<int> clients;                         // client numbers; at least one
  Duration now{};                                   // in world time
  std::optional<Duration> next{};                   // time from now until another event is due; nothing: never
  NameOf name;                                      // the name of an attempt of the client with this index in the list
  std::vector<int> unconnected{};                   // those of them of which Ask::connects may be true
  std::function<std::vector<Duration>()> instants;  // times from now: asking instants that are known without lookahead
};

/// The client with this index in the offer asks, so long from now; not later than `next`.
struct Ask {
  std::size_t client = 0;
  Duration after{};
  bool connects = false;  // it had no connection before
};

class Chooser : public PinnedObject {
 public:
  virtual ~Chooser() = default;

  /// Which of `count` events that are due at one instant happens first. A single event is no choice, but is passed as
  /// well. The order of the candidates depends on the scenario only. Returns less than `count`.
  virtual std::size_t first_of(std::size_t count, const NameOf& name) = 0;

  /// How long something takes: a message under way, a jitter. The answer is in the window, and is its lower bound plus
  /// a multiple of `grid`. Asked only where that leaves a choice; `name(0)` says what the duration is for.
  virtual Duration duration(const harness::Window& window, Duration grid, const NameOf& name) = 0;

  /// Whether one of `count` faults of a search's budget strikes now: 0 none, n the n-th. Only searches have a budget.
  virtual std::size_t strike(std::size_t /*count*/) { return 0; }

  /// Whether a client that wants the lock asks for it before the next event. Only clients that ask freely are offered.
  virtual std::optional<Ask> ask(const AskOffer& /*offer*/) { return std::nullopt; }
  /// Whether the one client of the offer, which has just begun to want the lock, asks at once.
  virtual bool asks_at_once(const AskOffer& /*offer*/) { return false; }
};

}  // namespace lockproof::sim
