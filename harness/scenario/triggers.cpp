// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/triggers.hpp"

namespace lockproof::harness {

Triggers::Triggers(const Scenario& scenario, std::string_view actor) {
  for (std::size_t i = 0; i < scenario.faults.size(); ++i) {
    const auto& when = scenario.faults[i].when;
    if (when && when->actor == actor) waiting_.push_back({i, &*when});
  }
}

std::vector<std::size_t> Triggers::happens(When::Moment moment, std::string_view verb, std::string_view client,
                                           int round) {
  std::vector<std::size_t> striking;
  for (auto& w : waiting_) {
    const bool same_client = w.when->client.empty() || w.when->client == client;
    if (w.when->moment != moment || w.when->verb != verb || !same_client || w.when->round != round) continue;
    if (++w.seen == w.when->occurrence) striking.push_back(w.fault);
  }
  return striking;
}

std::vector<int> Triggers::seen() const {
  std::vector<int> seen;
  seen.reserve(waiting_.size());
  for (const Waiting& w : waiting_) seen.push_back(w.seen);
  return seen;
}

}  // namespace lockproof::harness
