// SPDX-License-Identifier: Apache-2.0
// Host: the automaton of one site: its states, each once, and the outcomes of each input that it has had. A step is
// worked out once, by a subclass, and looked up from then on; there are thousands of states of sites where there are
// millions of states of the world. A number of a state says nothing about any other host's.
#pragma once

#include <cstdint>
#include <deque>
#include <set>
#include <stop_token>
#include <vector>

#include "harness/stop.hpp"
#include "search/automata/answers.hpp"
#include "search/automata/budgets.hpp"
#include "search/automata/event_lists.hpp"
#include "search/automata/isolated_host.hpp"
#include "search/automata/kinds.hpp"
#include "search/automata/links.hpp"
#include "search/containers/flat_map.hpp"
#include "search/containers/interner.hpp"
#include "search/containers/tuples.hpp"

namespace lockproof::sim {

struct PostedMessage {
  Id number = 0;  // the same for letters that differ only in the peer
  int peer = 0, slot = 0;
  Flight flight{};
  Duration way{};
  bool refused = false;  // the answer to a command that will never run
  int server = 0;        // that sends or gets it
};

/// A consequence at another site, and the events that follow it at this one, before the next.
struct ConsequenceStep {
  Consequence consequence{};
  Id events = EventLists::empty;
};

struct Outcome {
  Id state = 0;
  Id used = Budgets::nothing;     // of the budget
  Id events = EventLists::empty;  // those before the first consequence
  bool asks = false;              // a client, at once: it could have waited
  bool buffered = false;          // a reply that did nothing but fill its place in a gather
  std::vector<int> sent{};        // by a client, to each server; empty: none
  std::vector<PostedMessage> posted{};
  std::vector<ClosedConnections> closed{};
  std::vector<OpenedConnection> opened{};
  std::vector<Reset> resets{};
  std::vector<LinkCut> severed{};
  std::vector<ConsequenceStep> consequences{};
  std::vector<Budget::Offer> struck{};  // faults of the budget
  Choices answers{};                    // to all questions of the event: see Answers::each
};

/// Every field that identifies an input, except its message.
struct InputKey {
  Input::Kind kind = Input::Kind::local;
  int n = 0, peer = 0, slot = 0, distance = 0;
  std::uint64_t tokens = 0;  // of a client: those with its name that are in use, from the lowest bit on
};

/// The state that all sites of one world share.
struct SharedContext {
  const harness::Scenario& scenario;
  const harness::Bounds& bounds;
  ModelFactory& models;
  const std::size_t live_hosts;  // see Limits
  const Sites sites{scenario};
  const Kinds kinds{scenario, bounds, sites};
  CanonicalMessages letters{};
  Budgets budgets{bounds};
  EventLists events{scenario.progress || scenario.waiting || scenario.available || scenario.notice || scenario.entry ||
                        scenario.settled || scenario.early,
                    scenario.notice || scenario.program || scenario.early};
  Tuples posted{5};                     // the tuples that PostedMessage::number refers to
  Interner shapes{};                    // of clients, whatever their tokens are called
  std::set<Budget::Offer> of_budget{};  // faults of the budget that have struck
  ClockDetail detail = ClockDetail::relative, clocks_read = ClockDetail::relative;
  std::uint64_t runs = 0;    // inputs that the code of a host has had, also where it was run again
  std::uint64_t paths = 0;   // those of Answers that were run: as many with any number of workers
  std::uint64_t inputs = 0;  // runs if no host were kept: as many with any number of workers
  std::uint64_t most_paths = UINT64_MAX;
  std::stop_token stop{};

  /// Called for each path. Throws Cancellation at a limit: one state may have millions of ways on, each of which runs a
  /// host.
  void count_path() {
    harness::look_at(stop);
    if (paths >= most_paths) throw harness::Cancellation();
    ++paths;
  }
};

class Host : public PinnedObject {
 public:
  explicit Host(SharedContext& shared) : shared_(shared) {}
  virtual ~Host() = default;

  [[nodiscard]] std::size_t size() const { return traits_.size(); }
  [[nodiscard]] const Traits& traits(Id state) const { return traits_[state]; }
  /// The traits that are read often.
  struct Summary {
    Duration due{};
    std::uint64_t tokens = 0;  // tokens that it knows, a bit each
    int locals = 0, alone = 0;
    bool holds = false;          // a server of it holds messages back
    std::uint32_t arrivals = 0;  // servers of it at which a message of another one arrives when it is due, a bit each
    Id shape = 0;                // equal for states of clients that differ only in the names of tokens
  };
  [[nodiscard]] const Summary& summary(Id state) const { return summaries_[state]; }

  /// The state after this time, in which nothing of it is due.
  Id aged(Id state, Duration by);
  /// FlatMap::none if it has not been worked out yet.
  [[nodiscard]] Id known_aged(Id state, Duration by) const {
    return ages_.find({static_cast<std::uint64_t>(by.count()), state});
  }

  /// An input of a state, with the rest of the budget before it (see Budgets), as a number: the same for equal inputs
  /// and for no others. Throws UnrepresentableState if it does not fit.
  [[nodiscard]] static Key128 key(Id state, const InputKey& input, Id letter, Id rest);
  /// All outcomes of an input. REQUIRES: `key` is that of the input.
  const std::vector<Outcome>& step(Id state, const Key128& key, const Input& input);
  /// Null if it has not been worked out yet.
  [[nodiscard]] const std::vector<Outcome>* known(const Key128& key) const {
    const Id id = steps_.find(key);
    return id == FlatMap::none ? nullptr : &outcomes_[id];
  }
  /// A step that cannot branch and that has no outcome to deliver.
  Id quiet_step(Id state, const Key128& key, const Input& input);

  /// The input that has led to a state, other than the first one, and the state before it.
  [[nodiscard]] virtual Input input_of(Id state) = 0;
  [[nodiscard]] virtual Id parent_of(Id state) = 0;
  /// The state after an input whose choices are all made.
  virtual Id after(Id state, Input input) = 0;

 protected:
  // The parts of a key.
  [[nodiscard]] static Key128 with_any_rest(const Key128& key) {
    return {key.high & ~std::uint64_t{0xffff0000}, key.low};
  }
  [[nodiscard]] static Id rest_of(const Key128& key) { return static_cast<Id>(key.high >> 16 & 0xffff); }
  [[nodiscard]] static std::uint64_t tokens_of(const Key128& key) { return key.high & 0xffff; }
  [[nodiscard]] static Id letter_of(const Key128& key) { return static_cast<Id>(key.low); }

  virtual Id work_out_age(Id state, Duration by) = 0;
  virtual std::vector<Outcome> work_out(Id state, const Key128& key, const Input& input) = 0;
  /// The steps that are known, in the order in which they were worked out.
  [[nodiscard]] Id steps() const { return static_cast<Id>(outcomes_.size()); }
  [[nodiscard]] const std::vector<Outcome>& outcomes(Id step) const { return outcomes_[step]; }
  /// A new state.
  void add(Traits traits, const Summary& summary);
  /// The same with its number.
  [[nodiscard]] PostedMessage numbered(PostedMessage posted) const;

  SharedContext& shared_;

 private:
  std::deque<Traits> traits_;  // references stay good
  std::vector<Summary> summaries_;
  FlatMap ages_, steps_;
  std::deque<std::vector<Outcome>> outcomes_;  // of each known step; references stay good
};

}  // namespace lockproof::sim
