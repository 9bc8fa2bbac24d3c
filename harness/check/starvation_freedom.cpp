// SPDX-License-Identifier: Apache-2.0
// Starvation freedom (lockout freedom, bounded waiting): every client that wants the lock gets it within the time that
// the scenario allows ([judge] waiting), whatever the others do. It requires that others got the lock or have it
// meanwhile; a lock that no client gets violates deadlock-freedom. Dijkstra 1965; Lynch, "Distributed Algorithms",
// 10.2.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/check/by_lock.hpp"
#include "harness/check/monitor.hpp"

namespace lockproof::check {
namespace {

using harness::Event;
using harness::HostIndex;
using harness::What;

class StarvationFreedom final : public CopyableMonitor<StarvationFreedom> {
 public:
  StarvationFreedom(const harness::Header& header, const harness::Scenario& scenario)
      : header_(header), bound_(*scenario.waiting) {}

  void see(std::size_t position, const Event& event) override {
    for (auto& [client, wait] : waiting_) look(position, event.at, client, wait);
    switch (event.what) {
      case What::start: waiting_[event.host] = {position, event.at, 0, false}; return;
      case What::granted:
        waiting_.erase(event.host);
        holding_.insert(event.host);
        for (auto& [client, wait] : waiting_) ++wait.others;
        return;
      case What::released:
        if (!event.value) holding_.erase(event.host);
        return;
      case What::gave_up: waiting_.erase(event.host); return;
      case What::strike:
        if (event.word == "crash" || event.word == "kill-task") waiting_.erase(event.host), holding_.erase(event.host);
        if (stops(event)) ++stopped_[event.host];
        return;
      case What::heal:
        if (stops(event) && --stopped_[event.host] == 0) again(position, event);
        return;
      default: return;
    }
  }
  [[nodiscard]] Finding finding() const override { return found_; }
  void forget() override { found_ = {}; }
  void encode(MonitorEncoding& into) const override {
    for (const auto& [client, wait] : waiting_) {
      const Duration most = bound_ + Duration(1);
      const std::int64_t age = wait.found ? most.count() : into.age(wait.since, most);
      into.numbers.insert(into.numbers.end(), {client, age, std::min(wait.others, 1), wait.found});
    }
    into.numbers.push_back(-2);
    into.numbers.insert(into.numbers.end(), holding_.begin(), holding_.end());
    for (const auto& [host, times] : stopped_) {
      if (times != 0) into.numbers.insert(into.numbers.end(), {-1, host, times});
    }
  }

 private:
  struct Wait {
    std::size_t position = 0;
    Duration since{};
    int others = 0;  // grants to other clients
    bool found = false;
  };

  /// A client that cannot take part does not wait.
  [[nodiscard]] bool stops(const Event& event) const {
    return header_.host_kind(event.host) == harness::HostKind::client &&
           (harness::stands_still(event.word) || event.word == "partition");
  }
  void again(std::size_t position, const Event& event) {
    const auto found = waiting_.find(event.host);
    if (found != waiting_.end()) found->second = {position, event.at, 0, false};
  }

  void look(std::size_t position, Duration at, HostIndex client, Wait& wait) {
    const auto stopped = stopped_.find(client);
    const bool up = stopped == stopped_.end() || stopped->second == 0;
    if (!up || wait.found || (wait.others == 0 && holding_.empty()) || !is_longer(wait.since, at, bound_)) return;
    wait.found = true;
    if (found_.verdict == Verdict::violated) return;
    found_ = {"",
              Verdict::violated,
              "starvation",
              fmt::format("{} has wanted the lock since {} and not got it within the {} that are allowed; {}",
                          header_.host_name(client), seconds_text(wait.since), seconds_text(bound_),
                          wait.others == 0   ? "another one has it all the time"
                          : wait.others == 1 ? "another one got it meanwhile"
                                             : fmt::format("others got it meanwhile, {} times", wait.others)),
              {wait.position, position}};
  }

  const harness::Header& header_;
  const Duration bound_;
  std::map<HostIndex, Wait> waiting_;
  std::set<HostIndex> holding_;
  std::map<HostIndex, int> stopped_;  // how many faults pause it or cut it off
  Finding found_;
};

}  // namespace

std::unique_ptr<Monitor> watch_starvation_freedom(const harness::Header& header, const harness::Scenario& scenario) {
  return watch_each_lock<StarvationFreedom>(header, scenario);
}

Finding starvation_freedom(const harness::History& history, const harness::Scenario& scenario) {
  return judge_with(watch_starvation_freedom, history, scenario);
}

}  // namespace lockproof::check
