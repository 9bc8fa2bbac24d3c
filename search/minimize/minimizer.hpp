// SPDX-License-Identifier: Apache-2.0
// Minimizer: the steps of minimize, one after the other, around the smallest violation so far.
#pragma once

#include <string>
#include <vector>

#include "search/minimize/minimize.hpp"

namespace lockproof::sim {

class Minimizer {
 public:
  /// `first` is the violation of the whole scenario.
  Minimizer(const harness::Scenario& scenario, Trial first, Trials& trials, const MinimizeOrder& order);

  [[nodiscard]] Minimization run();

 private:
  void search_it();
  void faults();
  bool fewer_faults(std::size_t size);
  void workload();
  void attempts(int events_most);
  void windows();
  void shorten();
  void durations();
  bool prove();
  bool prove_faults();
  bool prove_durations();
  void fewer_steps();
  void round_instants();

  [[nodiscard]] harness::Scenario candidate() const;
  Trial look(const harness::Scenario& candidate, int events_most);
  bool attempt(const harness::Scenario& candidate, bool move);
  bool attempt(const harness::Scenario& candidate, bool move, int events_most);
  bool attempt_without_faults_but(const harness::Scenario& base, const Subset& base_origin, const Subset& kept);
  bool attempt_anywhere(const harness::Scenario& candidate, std::size_t faults, int events_most);
  [[nodiscard]] harness::Scenario turned(const Knob& knob, std::int64_t value) const;
  bool turn(const Knob& knob, std::int64_t value);
  void shrink(const Knob& knob);
  void tell(const std::string& doing) const;

  const harness::Scenario& scenario_;
  Trials& trials_;
  const MinimizeOrder& order_;
  Trial best_;
  Subset faults_, clients_;            // which of the scenario's are left in the best one
  bool searched_ = false;              // the search around the whole violation came to an end
  Answer answer_ = Answer::undecided;  // to the latest attempt
  std::uint64_t states_ = 0;
  std::vector<NecessityTrial> needed_;
};

}  // namespace lockproof::sim
