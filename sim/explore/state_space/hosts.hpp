// SPDX-License-Identifier: Apache-2.0
// Hosts: the states of one site, each once, and the effect of each input on it. A state is kept as the input that led
// to it from another one; to compute a step, the isolated site is run again from its start. As each step is computed
// once, that is cheap: there are thousands of states of sites where there are millions of states of the world.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "sim/explore/containers/flat_map.hpp"
#include "sim/explore/containers/tuples.hpp"
#include "sim/explore/state_space/answers.hpp"
#include "sim/explore/state_space/isolated_host.hpp"
#include "sim/explore/state_space/links.hpp"

namespace lockproof::sim {

/// Lists of the budget's counts, each once.
class Budgets {
 public:
  Id add(const std::vector<int>& counts);
  [[nodiscard]] const std::vector<int>& at(Id id) const { return counts_[id]; }
  [[nodiscard]] int used(Id id) const { return used_[id]; }
  [[nodiscard]] Id size() const { return static_cast<Id>(used_.size()); }

 private:
  Interner interner_;
  std::vector<std::vector<int>> counts_;
  std::vector<int> used_;
};

/// Lists of the events that monitors look at, each once. Messages are numbered as in a run of their own: a command's
/// number is how many commands were sent after it, counted back from 0.
class EventLists {
 public:
  /// `timed`: a monitor looks at the time of every event, and at the remaining time of a key. `promised`: and at the
  /// remaining time of a grant.
  EventLists(bool timed, bool promised) : timed_(timed), keeps_left_(promised) { (void)add({}, 0, 0, 0); }
  /// `scripted`: number of faults of the scenario, which keep their numbers; those of a budget have none.
  Id add(std::vector<harness::Event> events, int host, int clients, int scripted);
  /// Commands of a client to a server are lost; `distances` says how many were sent after each.
  Id losses(int client, int server, const std::vector<int>& distances);
  /// The list with each of its events rewritten.
  Id rewritten(Id id, const std::function<void(harness::Event&)>& rewrite);
  [[nodiscard]] const std::vector<harness::Event>& at(Id id) const { return lists_[id]; }
  [[nodiscard]] bool enters(Id id) const { return enters_[id]; }
  /// Whether the client that enters is entitled at that instant; a fault of the same step may change its clock
  /// afterwards.
  [[nodiscard]] bool promised(Id id) const { return promised_[id]; }
  /// Whether a client finds the lock taken.
  [[nodiscard]] bool contends(Id id) const { return contends_[id]; }
  [[nodiscard]] bool asks(Id id) const { return asks_[id]; }
  /// The scenario's faults, by number, that strike in one of the lists.
  [[nodiscard]] const std::set<int>& struck() const { return struck_; }
  /// The event that nothing will happen any more.
  Id end();
  static constexpr Id empty = 0;

 private:
  Id keep(std::vector<harness::Event> events, bool promised);

  const bool timed_, keeps_left_;
  Interner interner_;
  std::vector<std::vector<harness::Event>> lists_;
  std::vector<bool> enters_, promised_, contends_, asks_;
  std::set<int> struck_;
};

struct PostedMessage {
  Id number = 0;  // the same for letters that differ only in the peer
  int peer = 0, slot = 0;
  Flight flight{};
  Duration way{};
  bool refused = false;  // the answer to a command that will never run
  int server = 0;        // that sends or gets it
};

/// A consequence at another site, and the events that follow it at this one, before the next.
struct Reaching {
  Consequence consequence{};
  Id events = EventLists::empty;
};

struct Outcome {
  Id state = 0;
  Id budget = 0;
  Id events = EventLists::empty;  // those before the first consequence
  bool asks = false;              // a client, at once: it could have waited
  bool buffered = false;          // a reply that did nothing but fill its place in a gather
  std::vector<int> sent{};        // by a client, to each server; empty: none
  std::vector<PostedMessage> posted{};
  std::vector<Closed> closed{};
  std::vector<int> opened{};  // servers to which a client has made a connection for news
  std::vector<Reset> resets{};
  std::vector<Severed> severed{};
  std::vector<Reaching> consequences{};
  Choices answers{};  // to all questions of the event: see Answers::each
};

/// The state that all sites of one world share.
struct Shared {
  const harness::Scenario& scenario;
  const harness::Bounds& bounds;
  ModelFactory& models;
  const Sites sites{scenario};
  CanonicalMessages letters{};
  Budgets budgets{};
  EventLists events{scenario.progress || scenario.waiting || scenario.available || scenario.notice,
                    scenario.notice.has_value()};
  Tuples posted{5};                     // the tuples that PostedMessage::number refers to
  Interner shapes{};                    // of clients, whatever their tokens are called
  std::set<Budget::Offer> of_budget{};  // faults of the budget that have struck
  bool offsets = false, wall_was_read = false;
};

class Host final : public Pinned {
 public:
  Host(Shared& shared, std::size_t site);

  [[nodiscard]] std::size_t size() const { return states_.size(); }
  [[nodiscard]] const Traits& traits(Id state) const { return traits_[state]; }
  /// The traits that are read often.
  struct Glance {
    Duration due{};
    std::uint64_t tokens = 0;  // tokens that it knows, a bit each
    int locals = 0, alone = 0;
    bool holds = false;          // a server of it holds messages back
    std::uint32_t arrivals = 0;  // servers of it at which a message of another one arrives when it is due, a bit each
    Id shape = 0;                // equal for states of clients that differ only in the names of tokens
  };
  [[nodiscard]] const Glance& glance(Id state) const { return glances_[state]; }
  Id aged(Id state, Duration by);
  /// FlatMap::none if it has not been computed yet.
  [[nodiscard]] Id known_aged(Id state, Duration by) const {
    return ages_.find({static_cast<std::uint64_t>(by.count()), state});
  }
  /// All outcomes of an input. `key` is the input as a number, the same for equal inputs and for no others; these of
  /// its upper bits are the budget before it.
  static constexpr std::uint64_t budget_bits = 0xffff0000;
  const std::vector<Outcome>& step(Id state, const Key128& key, const Input& input);
  /// Null if it has not been computed yet.
  [[nodiscard]] const std::vector<Outcome>* known(const Key128& key) const {
    const Id id = steps_.find(key);
    return id == FlatMap::none ? nullptr : &outcomes_[id];
  }
  /// Computes a step that cannot branch and that has no outcome to deliver.
  Id quiet_step(Id state, const Key128& key, const Input& input);
  [[nodiscard]] std::uint64_t computed() const { return computed_; }

  /// The input that has led to a state, other than the first one, and the state before it.
  [[nodiscard]] const Input& input_of(Id state) const { return states_[state].input; }
  [[nodiscard]] Id parent_of(Id state) const { return states_[state].parent; }
  /// The state after an input whose choices are all made.
  Id after(Id state, Input input);

 private:
  struct State {
    Id parent;
    Input input;
  };
  /// An isolated host, and how much time has passed in it since its last input other than time.
  struct Live {
    std::unique_ptr<IsolatedHost> cell;
    Duration passed{};
  };
  static constexpr std::size_t most_live = 256;

  [[nodiscard]] std::pair<Id, Duration> since(Id state) const;
  [[nodiscard]] Live made(Id state);
  [[nodiscard]] std::unique_ptr<IsolatedHost> reexecuted(Id state) const;
  void keep(Id state, Live live);
  Id add(IsolatedHost& cell, Id parent, Input input);
  [[nodiscard]] PostedMessage numbered(const Posted& posted) const;
  void keep_events(Output& out, Outcome& outcome) const;
  Answers::Run run(Id state, const Input& input, const Choices& choices);

  Shared& shared_;
  const std::size_t site_;
  const harness::Scenario scenario_;
  Interner interner_;
  std::vector<State> states_;
  std::deque<Traits> traits_;  // references stay good
  std::vector<Glance> glances_;
  FlatMap ages_, steps_, trees_;
  std::deque<std::vector<Outcome>> outcomes_;  // references stay good
  std::deque<Answers> answers_;                // by the numbers in `trees_`
  struct Leaf {
    Outcome outcome;
    std::vector<int> used;  // of the budget
  };
  std::vector<Leaf> leaves_;
  std::uint64_t computed_ = 0;
  std::map<Id, Live> live_;  // by the state after the last such input
  std::deque<Id> oldest_;    // those states, and some that have been dropped
};

}  // namespace lockproof::sim
