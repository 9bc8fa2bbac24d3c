// SPDX-License-Identifier: Apache-2.0
// Hand-over cause: the lock passes from one client to another only for a reason: the earlier one has begun to release
// it, a fault has struck since it was given the lock, or its deadline has come by its own clock, or comes within the
// time that the scenario allows ([judge] early). A grant without a deadline has no such end.
#include <fmt/format.h>

#include <map>

#include "harness/check/by_lock.hpp"
#include "harness/check/monitor.hpp"
#include "harness/check/promise.hpp"

namespace lockproof::check {
namespace {

using harness::Event;
using harness::HostIndex;
using harness::What;

class HandOverCause final : public CopyableMonitor<HandOverCause> {
 public:
  HandOverCause(const harness::Header& header, const harness::Scenario& scenario)
      : header_(header), early_(*scenario.early), clocks_(header) {}

  void see(std::size_t position, const Event& event) override {
    clocks_.see(event);
    switch (event.what) {
      case What::granted:
        for (const auto& [client, held] : held_) {
          if (client != event.host && has_no_cause(client, held, event.at)) find(position, event, client, held);
        }
        std::erase_if(held_, [&](const auto& one) { return one.first != event.host; });
        held_[event.host] = {position, {}};
        held_[event.host].promise.renew(event, clocks_);
        return;
      case What::renewed:
        if (const auto held = held_.find(event.host); held != held_.end()) held->second.promise.renew(event, clocks_);
        return;
      case What::release: held_.erase(event.host); return;
      case What::strike: held_.clear(); return;
      default: return;
    }
  }
  [[nodiscard]] Finding finding() const override { return found_; }
  void forget() override { found_ = {}; }

  void encode(MonitorEncoding& into) const override {
    for (const auto& [client, held] : held_) {
      const Promise& promise = held.promise;
      into.numbers.push_back(client);
      into.numbers.push_back(
          promise.deadline ? std::max(*promise.deadline - clocks_.now(client, promise.clock, into.now), std::int64_t{0})
                           : INT64_MAX);
    }
  }

 private:
  struct Tenure {
    std::size_t position = 0;
    Promise promise;
  };

  [[nodiscard]] bool has_no_cause(HostIndex client, const Tenure& held, Duration at) const {
    return held.promise.good(client, at + early_, clocks_);
  }

  void find(std::size_t position, const Event& event, HostIndex before, const Tenure& held) {
    if (found_.verdict == Verdict::violated) return;
    const std::string good =
        !held.promise.deadline
            ? "for as long as it lives"
            : "for " +
                  seconds_text(Duration(*held.promise.deadline - clocks_.now(before, held.promise.clock, event.at))) +
                  " more";
    found_ = {"",
              Verdict::violated,
              "",
              fmt::format("{} was given the lock that {} had, {}: nobody had released it, and no fault had struck",
                          place(header_, event), header_.host_name(before), good),
              {held.position, position}};
  }

  const harness::Header& header_;
  const Duration early_;
  HostClocks clocks_;
  std::map<HostIndex, Tenure> held_;  // by a client that nothing has taken it from
  Finding found_;
};

}  // namespace

std::unique_ptr<Monitor> watch_hand_over_cause(const harness::Header& header, const harness::Scenario& scenario) {
  return watch_each_lock<HandOverCause>(header, scenario);
}

Finding hand_over_cause(const harness::History& history, const harness::Scenario& scenario) {
  return judge_with(watch_hand_over_cause, history, scenario);
}

}  // namespace lockproof::check
