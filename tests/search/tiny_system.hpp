// SPDX-License-Identifier: Apache-2.0
// A tiny timed system, and the slowest search there is: tick by tick, at every instant whatever may happen happens or
// waits. It shares no code with the simulator. What the simulator's way of passing time is compared with.
#pragma once

#include <algorithm>
#include <compare>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace lockproof::tiny {

/// `take`: a server gives a lock with a lease, or refuses. `see`: the answer comes; who was refused stops, the other
/// one is inside. `leave`: no longer inside. `free`: the server takes the lock back. `quiet` is not written down.
enum class Op : std::uint8_t { step, take, see, leave, free, quiet };

struct Move {
  Op op = Op::step;
  int least = 0, most = 0;  // ticks since the move before it
  bool own = true;          // of the actor itself, which a pause stops; else a message on its way
  bool behind = false;      // a message that was sent together with the one before it, and arrives behind it
};

struct System {
  std::vector<std::vector<Move>> actors;
  int lease = 3;
  int faults = 0;  // at most, and of one actor one at most
  int pause = 0;   // its length at most
  bool loss = false;
};

/// What the moves do, time aside. Both searches use it: it is not what is compared.
struct Lock {
  int holder = -1, until = 0;
  unsigned granted = 0, inside = 0;  // bits of actors
  bool overlap = false;
  auto operator<=>(const Lock&) const = default;

  /// False: the actor stops.
  bool perform(Op op, int actor, int now, int lease, std::string& order) {
    const unsigned me = 1u << actor;
    bool yes = true;
    switch (op) {
      case Op::take:
        yes = holder < 0 || now > until;
        if (yes) holder = actor, until = now + lease, granted |= me;
        break;
      case Op::see:
        yes = (granted & me) != 0;
        if (yes) overlap |= inside != 0, inside |= me;
        break;
      case Op::leave: inside &= ~me; break;
      case Op::free:
        yes = holder == actor && now <= until;
        if (yes) holder = -1;
        break;
      case Op::step: break;
      case Op::quiet: return true;
    }
    order += static_cast<char>('A' + actor);
    if (op != Op::step) order += (yes ? "_TSLF" : "_tslf")[static_cast<int>(op)];
    order += ' ';
    return op != Op::see || yes;
  }
};

/// Every order of events that can be, with the fewest faults that it needs; those in which two were inside end with
/// '!'.
using Orders = std::map<std::string, int>;

inline void add(Orders& orders, const Lock& lock, std::string order, int faults) {
  if (lock.overlap) order += '!';
  const auto [found, fresh] = orders.emplace(std::move(order), faults);
  if (!fresh) found->second = std::min(found->second, faults);
}

/// The verdict: the fewest faults with which two are inside at once; -1 never.
inline int fewest(const Orders& orders) {
  int least = -1;
  for (const auto& [order, faults] : orders) {
    if (order.ends_with('!') && (least < 0 || faults < least)) least = faults;
  }
  return least;
}

/// Tick by tick. `only_edges` is the mistake that design §4 warns of: time jumps to where some window opens or closes.
class Ticks {
 public:
  explicit Ticks(const System& system, bool only_edges = false) : system_(system), only_edges_(only_edges) {}

  Orders search() {
    State start;
    for (std::size_t i = 0; i < system_.actors.size(); ++i) start.actors.emplace_back();
    visit(start);
    while (!left_.empty()) {
      const State state = left_.back();
      left_.pop_back();
      expand(state);
    }
    return orders_;
  }

 private:
  struct Actor {
    std::size_t next = 0;
    int since = 0;  // when its next move began to wait
    int awake = 0;  // it stands still until then
    bool struck = false, stopped = false;
    auto operator<=>(const Actor&) const = default;
  };
  struct State {
    int now = 0, faults = 0;
    std::vector<Actor> actors;
    Lock lock;
    std::string order;
    auto operator<=>(const State&) const = default;
  };

  void visit(const State& state) {
    if (visited_.insert(state).second) left_.push_back(state);
  }
  [[nodiscard]] bool done(const State& state, std::size_t i) const {
    return state.actors[i].stopped || state.actors[i].next == system_.actors[i].size();
  }
  [[nodiscard]] const Move& move(const State& state, std::size_t i) const {
    return system_.actors[i][state.actors[i].next];
  }
  [[nodiscard]] bool enabled(const State& state, std::size_t i) const {
    const Actor& actor = state.actors[i];
    if (done(state, i) || (move(state, i).own && state.now < actor.awake)) return false;
    return state.now >= actor.since + move(state, i).least;
  }

  void expand(const State& state) {
    bool all_done = true, must = false;
    for (std::size_t i = 0; i < state.actors.size(); ++i) {
      if (done(state, i)) continue;
      all_done = false;
      must |= enabled(state, i) && state.now >= state.actors[i].since + move(state, i).most;
      if (enabled(state, i)) perform(state, i);
      if (state.faults < system_.faults && !state.actors[i].struck) strike(state, i);
    }
    if (all_done) return add(orders_, state.lock, state.order, state.faults);
    if (must) return;  // no longer may it wait
    State later = state;
    later.now = only_edges_ ? next_edge(state) : state.now + 1;
    visit(later);
  }

  void perform(State state, std::size_t i) {
    const Op op = move(state, i).op;
    Actor& actor = state.actors[i];
    actor.stopped = !state.lock.perform(op, static_cast<int>(i), state.now, system_.lease, state.order);
    ++actor.next;
    if (!done(state, i) && !move(state, i).behind) actor.since = state.now;
    visit(state);
  }

  /// A pause begins at any time, and is as long as it likes; a message gets lost, and those behind it.
  void strike(State state, std::size_t i) {
    state.actors[i].struck = true;
    ++state.faults;
    for (int length = 1; length <= system_.pause; ++length) {
      state.actors[i].awake = state.now + length;
      visit(state);
    }
    if (!system_.loss || move(state, i).own) return;
    state.actors[i].awake = 0;
    state.actors[i].stopped = true;
    visit(state);
  }

  [[nodiscard]] int next_edge(const State& state) const {
    int next = state.now + 1000;
    for (std::size_t i = 0; i < state.actors.size(); ++i) {
      if (done(state, i)) continue;
      const Actor& actor = state.actors[i];
      for (const int edge : {actor.since + move(state, i).least, actor.since + move(state, i).most, actor.awake}) {
        if (edge > state.now) next = std::min(next, edge);
      }
    }
    return next;
  }

  const System& system_;
  const bool only_edges_;
  std::set<State> visited_;
  std::vector<State> left_;
  Orders orders_;
};

}  // namespace lockproof::tiny
