// SPDX-License-Identifier: Apache-2.0
// Once per period: where the scenario has a period ([workload] period), the work of one period begins once, by
// whichever client. A violation needs no overlap: a client that comes after the first one has released finds the lock
// free (ShedLock's lockAtLeastFor; Quartz, "clustered" jobs; cron on several servers).
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "harness/check/monitor.hpp"

namespace lockproof::check {
namespace {

using harness::Event;
using harness::HostIndex;
using harness::What;

class OncePerPeriod final : public CopyableMonitor<OncePerPeriod> {
 public:
  OncePerPeriod(const harness::Header& header, const harness::Scenario& scenario) : header_(header) {
    for (std::size_t i = 0; i < scenario.clients.size(); ++i) {
      clients_[static_cast<HostIndex>(i)] = {0, scenario.clients[i].plan.rounds};
    }
  }

  void see(std::size_t i, const Event& event) override {
    switch (event.what) {
      case What::start: ++clients_[event.host].period; break;
      case What::enter: begin(i, event); break;
      case What::gave_up:
        if (clients_[event.host].period < clients_[event.host].rounds) return;
        clients_.erase(event.host);
        break;
      case What::finished: clients_.erase(event.host); break;
      case What::strike:
        if (event.word != "crash" && event.word != "kill-task") return;
        clients_.erase(event.host);
        break;
      default: return;
    }
    const int first = earliest();
    std::erase_if(begun_, [&](const auto& one) { return one.first < first; });
  }
  [[nodiscard]] Finding finding() const override { return found_; }
  void forget() override { found_ = {}; }

  /// Periods are counted from the earliest that a client may still begin.
  void encode(MonitorEncoding& into) const override {
    const int first = earliest();
    for (const auto& [host, client] : clients_) {
      into.numbers.insert(into.numbers.end(), {host, client.period - first});
    }
    into.numbers.push_back(-1);
    for (const auto& [period, by] : begun_) into.numbers.push_back(period - first);
  }

 private:
  struct Client {
    int period = 0;  // the period that it came for last
    int rounds = 1;
  };

  [[nodiscard]] int earliest() const {
    const auto first = std::ranges::min_element(clients_, {}, [](const auto& one) { return one.second.period; });
    return first == clients_.end() ? harness::rounds_for_ever : first->second.period;
  }

  void begin(std::size_t i, const Event& event) {
    const int period = clients_[event.host].period;
    const auto [before, is_first] = begun_.try_emplace(period, PeriodStart{i, place(header_, event)});
    if (is_first || found_.verdict == Verdict::violated) return;
    found_ = {"",
              Verdict::violated,
              "",
              fmt::format("{} began the work of period {}, which {} had begun", place(header_, event), period,
                          before->second.by),
              {before->second.position, i}};
  }

  struct PeriodStart {
    std::size_t position = 0;
    std::string by;  // "client-1 at 3.002 s"
  };
  const harness::Header& header_;
  std::map<HostIndex, Client> clients_;  // clients that may still begin work
  std::map<int, PeriodStart> begun_;     // periods that a client may still begin
  Finding found_;
};

}  // namespace

std::unique_ptr<Monitor> watch_once_per_period(const harness::Header& header, const harness::Scenario& scenario) {
  return std::make_unique<OncePerPeriod>(header, scenario);
}

Finding once_per_period(const harness::History& history, const harness::Scenario& scenario) {
  return judge_with(watch_once_per_period, history, scenario);
}

}  // namespace lockproof::check
