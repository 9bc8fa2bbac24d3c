// SPDX-License-Identifier: Apache-2.0
// Every round enters: a client that wants the lock is inside within the time that the scenario allows ([judge] entry),
// counted from the start of its round, whatever strikes others or servers. A client that gives up has not entered. What
// ends the client itself ends its round, too; so does the end of a run that comes before the bound.
#include <fmt/format.h>

#include <map>

#include "harness/check/by_lock.hpp"
#include "harness/check/monitor.hpp"

namespace lockproof::check {
namespace {

using harness::Event;
using harness::HostIndex;
using harness::What;

class EveryRoundEnters final : public CopyableMonitor<EveryRoundEnters> {
 public:
  EveryRoundEnters(const harness::Header& header, const harness::Scenario& scenario)
      : header_(header), bound_(*scenario.entry) {}

  void see(std::size_t position, const Event& event) override {
    const bool for_ever = event.what == What::end && event.word == "finished";  // nothing will happen any more
    for (auto& [client, round] : open_) {
      if (round.found || !(for_ever || is_longer(round.since, event.at, bound_))) continue;
      round.found = true;
      find(position, client, round, for_ever ? "and never will" : "");
    }
    switch (event.what) {
      case What::start: open_[event.host] = {position, event.at, event.round, false}; return;
      case What::enter: open_.erase(event.host); return;
      case What::gave_up:
        if (const auto round = open_.find(event.host); round != open_.end()) {
          if (!round->second.found) find(position, event.host, round->second, "and has given up");
          open_.erase(round);
        }
        return;
      case What::died: open_.erase(event.host); return;
      case What::strike:
        if (event.word == "crash" || event.word == "kill-task") open_.erase(event.host);
        return;
      default: return;
    }
  }
  [[nodiscard]] Finding finding() const override { return found_; }
  void forget() override { found_ = {}; }

  void encode(MonitorEncoding& into) const override {
    const Duration most = bound_ + Duration(1);
    for (const auto& [client, round] : open_) {
      into.numbers.insert(into.numbers.end(), {client, round.found, round.found ? 0 : into.age(round.since, most)});
    }
  }

 private:
  struct Round {
    std::size_t position = 0;
    Duration since{};
    int number = 0;
    bool found = false;
  };

  void find(std::size_t position, HostIndex client, const Round& round, std::string_view besides) {
    if (found_.verdict == Verdict::violated) return;
    const std::string number = round.number > 0 ? fmt::format(" in its round {}", round.number) : "";
    found_ = {
        "",
        Verdict::violated,
        "",
        fmt::format("{} wants the lock{} since {} and has not entered{}{}; {} are allowed", header_.host_name(client),
                    number, seconds_text(round.since), besides.empty() ? "" : " ", besides, seconds_text(bound_)),
        {round.position, position}};
  }

  const harness::Header& header_;
  const Duration bound_;
  std::map<HostIndex, Round> open_;  // rounds that have begun and not entered
  Finding found_;
};

}  // namespace

std::unique_ptr<Monitor> watch_every_round_enters(const harness::Header& header, const harness::Scenario& scenario) {
  return watch_each_lock<EveryRoundEnters>(header, scenario);
}

Finding every_round_enters(const harness::History& history, const harness::Scenario& scenario) {
  return judge_with(watch_every_round_enters, history, scenario);
}

}  // namespace lockproof::check
