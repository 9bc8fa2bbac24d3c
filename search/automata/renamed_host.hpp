// SPDX-License-Identifier: Apache-2.0
// RenamedHost: works steps out by asking a host of the same kind (Kinds) and exchanging the two names in the answer. A
// state is the counterpart of one of that host; nothing runs here.
#pragma once

#include <utility>
#include <vector>

#include "search/automata/host.hpp"
#include "search/reduction/symmetry.hpp"

namespace lockproof::sim {

class RenamedHost final : public Host {
 public:
  /// REQUIRES: `model` is the host of `shared.kinds.model_of(site)`, and outlives this one.
  RenamedHost(SharedContext& shared, Host& model, std::size_t site);

  [[nodiscard]] Input input_of(Id state) override { return exchanged(model_.input_of(in_model_[state])); }
  [[nodiscard]] Id parent_of(Id state) override { return counterpart(model_.parent_of(in_model_[state])); }
  Id after(Id state, Input input) override {
    return counterpart(model_.after(in_model_[state], exchanged(std::move(input))));
  }

 private:
  Id work_out_age(Id state, Duration by) override { return counterpart(model_.aged(in_model_[state], by)); }
  std::vector<Outcome> work_out(Id state, const Key128& key, const Input& input) override;
  /// The own state for one of the model's.
  Id counterpart(Id of_model);
  // Each is its own inverse.
  [[nodiscard]] Input exchanged(Input input) const;
  void exchange(Outcome& outcome);
  Id exchanged_letter(Id letter);
  Id exchanged_events(Id events);

  Host& model_;
  const std::size_t site_;
  const Permutation places_;  // the two clients exchange theirs; nobody does, if it is a server
  const harness::HostIndex own_host_, model_host_;
  std::vector<Id> in_model_, own_states_;  // the model's number of each state, and the other way round
  FlatMap letters_, events_;
};

}  // namespace lockproof::sim
