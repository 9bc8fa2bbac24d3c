// SPDX-License-Identifier: Apache-2.0
// Availability: as long as a client wants the lock and none has it, one gets it within the time that the scenario
// allows ([judge] available), whatever happens to the servers. This is what a user experiences: deadlock freedom does
// not count the time for which a server is down, fault tolerance requires a majority. A client that is itself paused or
// cut off does not count as wanting. Gilbert and Lynch, "Brewer's conjecture", 2002: every request received by a node
// that has not failed must be answered.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/check/by_lock.hpp"
#include "harness/check/interest.hpp"
#include "harness/check/monitor.hpp"

namespace lockproof::check {
namespace {

using harness::Event;
using harness::HostIndex;
using harness::What;

class Availability final : public CopyableMonitor<Availability> {
 public:
  Availability(const harness::Header& header, const harness::Scenario& scenario)
      : header_(header), bound_(*scenario.available) {}

  void see(std::size_t position, const Event& event) override {
    const bool for_ever = event.what == What::end && event.word == "finished";  // nothing will happen any more
    if (since_ && !found_it_ && (for_ever || is_longer(*since_, event.at, bound_))) find(position);
    interest_.see(event);
    if (event.what == What::strike) stop(event, 1);
    if (event.what == What::heal) stop(event, -1);
    const bool unavailable = interest_.holding().empty() && waiting() != harness::no_host;
    if (unavailable == since_.has_value()) return;
    since_.reset();
    found_it_ = false;
    if (!unavailable) return;
    since_ = event.at;
    since_position_ = position;
  }
  [[nodiscard]] Finding finding() const override { return found_; }
  void forget() override { found_ = {}; }

  void encode(MonitorEncoding& into) const override {
    interest_.encode(into);
    for (const auto& [host, times] : stopped_) {
      const bool of_client = header_.host_kind(host) == harness::HostKind::client;
      if (of_client && times != 0) into.numbers.insert(into.numbers.end(), {-2, host, times});
    }
    const Duration most = bound_ + Duration(1);
    into.numbers.push_back(!since_ ? -1 : found_it_ ? most.count() : into.age(*since_, most));
    into.numbers.push_back(found_it_);
  }

 private:
  /// A link that is cut by a fault of the server is no fault of the client.
  void stop(const Event& event, int change) {
    if (event.host == harness::no_host) return;
    const bool stops = harness::stands_still(event.word) || event.word == "restart" || event.word == "power-cut" ||
                       event.word == "partition";
    if (stops) stopped_[event.host] += change;
  }

  /// A client that wants the lock and could take it; no_host: there is none.
  [[nodiscard]] HostIndex waiting() const {
    for (const HostIndex client : interest_.wanting()) {
      const auto stopped = stopped_.find(client);
      if (stopped == stopped_.end() || stopped->second == 0) return client;
    }
    return harness::no_host;
  }

  void find(std::size_t position) {
    found_it_ = true;
    if (found_.verdict == Verdict::violated) return;
    std::vector<std::string> away;
    for (const auto& [host, times] : stopped_) {
      if (times != 0 && header_.host_kind(host) == harness::HostKind::server) away.push_back(header_.host_name(host));
    }
    found_ = {
        "",
        Verdict::violated,
        "",
        fmt::format("{} wants the lock and no client has held it since {}, for more than the {} that are allowed{}",
                    header_.host_name(waiting()), seconds_text(*since_), seconds_text(bound_),
                    away.empty() ? "" : fmt::format("; out of reach: {}", fmt::join(away, ", "))),
        {since_position_, position}};
  }

  const harness::Header& header_;
  const Duration bound_;
  Interest interest_;
  std::map<HostIndex, int> stopped_;  // how many faults of its own pause it, stop it or cut it off
  std::optional<Duration> since_;     // since when a client wants the free lock
  std::size_t since_position_ = 0;
  bool found_it_ = false;
  Finding found_;
};

}  // namespace

std::unique_ptr<Monitor> watch_availability(const harness::Header& header, const harness::Scenario& scenario) {
  return watch_each_lock<Availability>(header, scenario);
}

Finding availability(const harness::History& history, const harness::Scenario& scenario) {
  return judge_with(watch_availability, history, scenario);
}

}  // namespace lockproof::check
