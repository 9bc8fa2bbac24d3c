// SPDX-License-Identifier: Apache-2.0
// Renewal rate: a holder renews its lock a few times within a lease, and not again and again. It is judged in runs
// only: a count that a search could merge states by would have to be part of them, renewal by renewal.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "harness/check/excuses.hpp"
#include "harness/check/monitor.hpp"

namespace lockproof::check {
namespace {

using harness::Change;
using harness::Event;
using harness::HostIndex;
using harness::What;

constexpr std::size_t renewals_allowed = 50;  // within one lease, by one client on one server

class RenewalCounter {
 public:
  RenewalCounter(const harness::Scenario& scenario, Duration late) : lock_(scenario.lock), late_(late) {}

  /// The lease, if this renewal is one too many within it.
  [[nodiscard]] std::optional<Duration> see(std::size_t position, const Event& event) {
    if (event.what == What::granted && !event.value) renewals_[event.host].clear();
    if (event.what != What::execute) return std::nullopt;
    bool renews = false;
    milliseconds lease{};
    for (const harness::Effect& effect : event.effects) {
      if (effect.key != lock_) continue;
      if (effect.change != Change::renewed) return std::nullopt;  // it was taken anew, or ended
      if (effect.ttl) lease = *effect.ttl;
      renews = effect.ttl.has_value();
    }
    if (!renews) return std::nullopt;
    std::deque<Renewal>& recent = renewals_[event.peer][event.host];
    recent.push_back({position, event.at});
    const Duration within = std::max(Duration{}, Duration(lease) - late_);
    while (event.at - recent.front().at > within) recent.pop_front();
    if (recent.size() <= renewals_allowed) return std::nullopt;
    first_ = recent.front().position;
    return lease;
  }
  [[nodiscard]] std::size_t first() const { return first_; }

 private:
  struct Renewal {
    std::size_t position;
    Duration at;
  };
  const std::string lock_;
  const Duration late_;  // between two renewals there was so much more time, had the first come when it was due
  std::map<HostIndex, std::map<HostIndex, std::deque<Renewal>>> renewals_;  // by client and server
  std::size_t first_ = 0;
};

}  // namespace

Finding renewal_rate(const harness::History& history, const harness::Scenario& scenario) {
  return renewal_rate_despite(history, scenario, {});
}

Finding renewal_rate_despite(const harness::History& history, const harness::Scenario& scenario, Duration late) {
  RenewalCounter counter(scenario, late);
  for (std::size_t i = 0; i < history.events.size(); ++i) {
    const Event& event = history.events[i];
    const std::optional<Duration> lease = counter.see(i, event);
    if (!lease) continue;
    return {"",
            Verdict::violated,
            "",
            fmt::format("{} renewed the lock more than {} times within one lease of {}, the last time at {}",
                        history.header.host_name(event.peer), renewals_allowed, seconds_text(*lease),
                        seconds_text(event.at)),
            {counter.first(), i}};
  }
  return {};
}

}  // namespace lockproof::check
