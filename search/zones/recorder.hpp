// SPDX-License-Identifier: Apache-2.0
// Recorder: writes the events of a trail down as a scenario, each with its number.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "search/core/exploration.hpp"
#include "search/zones/follower.hpp"
#include "search/zones/successors.hpp"

namespace lockproof::zones {

/// An event of the trail, with the places before and after it.
struct Instance {
  Event event;
  Place before, after;
};

class Recorder {
 public:
  using Schedule = sim::ShortestViolation::ConcreteRun;

  /// REQUIRES: they and all instances outlive the recorder.
  Recorder(const Successors& successors, const harness::Scenario& scenario, const harness::Bounds& bounds);

  /// REQUIRES: called for each event, in their order.
  /// `jump`: of a clock-jump of any length, if that matters.
  void write(const Instance& passed, Duration at, std::optional<Duration> jump);
  /// For so long after the last event nobody asks.
  [[nodiscard]] Schedule take(Duration silence);

 private:
  using Pauses = std::vector<std::pair<int, Duration>>;  // that have not ended: fault number, and when each struck
  struct Client {
    std::map<int, int> asks{};                           // by round
    std::map<std::pair<int, std::string>, int> sends{};  // by round and verb
    Pauses pauses{};
    Duration called_at{};  // its last call
    Duration rests_at{};   // since then its worker waits for its next step
  };
  struct SentMessage {
    Duration at{};
    std::string from, to;
    std::size_t place = 0;  // among the latencies from there to there
    int late_by = 0;        // the number of the fault that delays it; 0: none does
    int round = 0;
  };

  [[nodiscard]] std::string host(bool of_resource) const {
    return of_resource ? "resource" : scenario_.servers.front().name;
  }
  [[nodiscard]] const ClientAutomaton::State& state(std::size_t client, Id id) const {
    return successors_.automaton(client).state(id);
  }
  void ask(std::size_t client, const Place& before, Duration at);
  void start(std::size_t client, const Place& before, Duration at);
  void draw(const Place& before, const Place& after, Duration at);
  [[nodiscard]] bool is_free(std::size_t client) const { return asks_freely_[client]; }
  void expect(const Instance& passed, Duration at, int ended);
  void strike_by_itself(const Instance& passed, Duration at);
  void strike_within(const Event& event, const Passage* held, const Passage* run, Duration at);
  void begin_fault(int number, Duration at);
  void count_held(const Place& before, const Place& after);
  void send(const Passage& passage, int tag, Duration at);
  void arrive(const Passage& passage, Duration at);
  void mark(const Event& event, const harness::EventPlace& place);
  int add(Event::Fault form, harness::Fault fault);
  [[nodiscard]] harness::EventPlace before(std::size_t client, Id state) const;
  [[nodiscard]] const harness::Fault& form_of(Event::Fault form) const { return successors_.fault_of(form); }
  /// The scenario has it already.
  [[nodiscard]] bool is_placed(Event::Fault form) const { return form.first >= bounds_.budget.size(); }
  /// By its number in an event.
  [[nodiscard]] Pauses& pauses_of(std::size_t host);
  int wake(Pauses& of, Duration at);
  [[nodiscard]] std::string verb_of(const Message& request) const;
  int heal(std::size_t cut, Duration at);

  const Successors& successors_;
  const harness::Bounds& bounds_;
  harness::Scenario scenario_;
  const std::vector<bool> asks_freely_;
  std::vector<Client> clients_;
  std::map<int, SentMessage> sent_;                                // by tag
  std::vector<std::pair<int, Duration>> cuts_;                     // fault number, and when it struck
  std::map<Event::Fault, int> number_of_;                          // the last fault of each form
  std::map<std::tuple<std::size_t, int, std::string>, int> runs_;  // of commands, by client, round and verb
  Pauses server_pauses_, downs_;
  Follower follower_;
  const Place* last_ = nullptr;
  Duration violated_at_{};
};

}  // namespace lockproof::zones
