// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/faults/triggers.hpp"

#include <algorithm>
#include <utility>

#include "harness/scenario/names.hpp"

namespace lockproof::harness {

Triggers::Triggers(const Scenario& scenario, std::string_view actor) {
  for (std::size_t i = 0; i < scenario.faults.size(); ++i) {
    const auto& when = scenario.faults[i].when;
    if (when && when->actor == actor) waiting_.push_back({i, &*when});
  }
}

std::vector<std::size_t> Triggers::happens(EventPlace::Moment moment, std::string_view verb, std::string_view client,
                                           int round, std::string_view server, EventPlace::LockState state) {
  constexpr std::string_view begins[] = {"", "acquire", "release", "renew"};
  const bool leaves = moment == EventPlace::Moment::before && !is_act(verb);
  const OpenAct begun = leaves ? std::exchange(begun_, OpenAct::nothing) : OpenAct::nothing;
  std::vector<std::size_t> striking;
  for (auto& w : waiting_) {
    const bool same_client =
        (w.when->client.empty() || w.when->client == client) && (w.when->server.empty() || w.when->server == server);
    const bool same_verb =
        w.when->verb == verb || (begun != OpenAct::nothing && w.when->verb == begins[static_cast<std::size_t>(begun)]);
    if (w.when->state != EventPlace::LockState::any && w.when->state != state) continue;
    if (w.when->moment != moment || !same_verb || !same_client || w.when->round != round) continue;
    if (!w.is_over() && ++w.seen == w.when->occurrence) striking.push_back(w.fault);
  }
  return striking;
}

void Triggers::noted(What what) {
  switch (what) {
    case What::attempt: begun_ = OpenAct::acquire; break;
    case What::release: begun_ = OpenAct::release; break;
    case What::renew: begun_ = OpenAct::renew; break;
    case What::granted:
    case What::busy:
    case What::failed:
    case What::released:
    case What::renewed:
    case What::renewal_failed:
    case What::lost: begun_ = OpenAct::nothing; break;
    default: break;
  }
}

bool Triggers::awaits(EventPlace::Moment moment, std::string_view verb, int round) const {
  return std::ranges::any_of(waiting_, [&](const PendingTrigger& w) {
    return w.when->moment == moment && w.when->verb == verb && w.when->round == round && !w.is_over();
  });
}

std::vector<int> Triggers::seen() const {
  std::vector<int> seen;
  seen.reserve(waiting_.size() + 1);
  for (const PendingTrigger& w : waiting_) seen.push_back(w.seen);
  if (!none()) seen.push_back(static_cast<int>(begun_));
  return seen;
}

void Triggers::go_on_from(const std::vector<int>& seen) {
  for (std::size_t i = 0; i < waiting_.size(); ++i) waiting_[i].seen = seen[i];
  if (!none()) begun_ = static_cast<OpenAct>(seen.back());
}

bool Triggers::await_anything() const {
  return std::ranges::any_of(waiting_, [](const PendingTrigger& w) { return !w.is_over(); });
}

}  // namespace lockproof::harness
