// SPDX-License-Identifier: Apache-2.0
// ClientAutomaton: a client and its lock as a function of their inputs. A step is worked out once, by a run of the code
// from its beginning, and looked up from then on: a step depends on no instant, so there are few. A state has local
// names, 0, 1, …, for the instants that it may still look at; a step says which of them live on, and which one begins.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "search/automata/event_lists.hpp"
#include "search/containers/interner.hpp"
#include "search/zones/host_run.hpp"
#include "search/zones/payloads.hpp"

namespace lockproof::zones {

class ClientAutomaton : public PinnedObject {
 public:
  /// Of a name: the instant of the step itself.
  static constexpr int begins = -1;

  /// In all of its fields an instant is a local name, and how long after it.
  struct State {
    std::vector<ReadClock> names{};     // of each the clock that it was read from
    bool rests = false;                 // no step is under way
    std::optional<NamedInstant> due{};  // of its worker's next step
    Duration spread{};                  // … which may come so much later, too
    bool due_is_alone = false;          // nothing else refers to the name of that
    bool wants = false;                 // the lock, and asks when the world lets it
    bool is_over = false;               // with all its rounds
    bool is_inside = false;
    bool is_interested = false;              // in the lock: it attempts, or has it
    std::optional<NamedInstant> deadline{};  // of its grant, while it is inside
    int round = 0;
    std::uint64_t tokens = 0;  // that it knows, a bit each
    HostAct::Kind act = HostAct::Kind::none;
    bool of_resource = false;
    Id command = 0;  // of a call
    harness::Act before = harness::Act::enter;
    NamedInstant one{}, other{};  // of a question, where a name may be `begins`
  };
  struct Step {
    Id state = 0;
    std::vector<int> names{};            // of each name of the new state: that in the old state, or `begins`
    Id events = sim::EventLists::empty;  // that the client has noted
  };

  /// REQUIRES: all references outlive the automaton.
  ClientAutomaton(const harness::Scenario& scenario, std::size_t client, Payloads& payloads, sim::EventLists& events);

  /// The first step leads from no state. Throws UnsuitedCode.
  const Step& begin();
  /// REQUIRES: the input is possible in this state. Throws UnsuitedCode.
  const Step& step(Id state, const HostInput& input);
  [[nodiscard]] const State& state(Id id) const { return states_[id].traits; }
  /// How often the code was run.
  [[nodiscard]] std::uint64_t runs() const { return runs_; }

 private:
  static constexpr Id nobody = UINT32_MAX;
  struct Record {
    State traits{};
    Id parent = nobody;
    HostInput input{};
    std::vector<int> handles{};  // the name in its run of each of its names
  };

  Step work_out(Id from, const HostInput& input);
  Step at_rest(const HostRun& run, Record record, int segment);
  [[nodiscard]] Id events_of(const HostRun& run);
  [[nodiscard]] NamedInstant local(const NamedInstant& instant, const std::vector<int>& handles, int segment) const;
  Id add(Record record, std::string encoding);

  const harness::Scenario& scenario_;
  const std::size_t client_;
  Payloads& payloads_;
  sim::EventLists& events_;
  std::deque<Record> states_;
  sim::Interner resting_;       // encodings of the states at rest
  std::vector<Id> of_resting_;  // their numbers
  std::map<std::pair<Id, HostInput>, Step> steps_;
  std::uint64_t runs_ = 0;
};

}  // namespace lockproof::zones
