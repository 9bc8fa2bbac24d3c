// SPDX-License-Identifier: Apache-2.0
// Bounded takeover: after a client crashed, a client that asks gets the lock within the time that the scenario allows
// ([judge] takeover, counted from the crash).
#include <fmt/format.h>

#include <algorithm>

#include "harness/check/by_lock.hpp"
#include "harness/check/monitor.hpp"

namespace lockproof::check {
namespace {

using harness::Event;
using harness::What;

class BoundedTakeover final : public CopyableMonitor<BoundedTakeover> {
 public:
  BoundedTakeover(const harness::Header& header, const harness::Scenario& scenario)
      : header_(header), bound_(scenario.takeover) {}

  void see(std::size_t i, const Event& event) override {
    if (!bound_) return;
    const bool dies = event.word == "crash" || event.word == "kill-task";
    if (event.what == What::strike && dies) waiting_.push_back({i, event.at, place(header_, event)});
    const bool granted = event.what == What::granted;
    if (!granted && event.what != What::busy && event.what != What::failed) return;
    std::erase_if(waiting_, [&](const Crash& crash) {
      const bool is_late = is_longer(crash.at, event.at, *bound_);
      if (is_late && found_.verdict != Verdict::violated) exceed(i, event, crash);
      return granted || is_late;
    });
  }

  [[nodiscard]] Finding finding() const override {
    if (!bound_) return {"", Verdict::not_found, "", "the scenario states no bound ([judge] takeover)", {}};
    if (found_.verdict == Verdict::violated || waiting_.empty()) return found_;
    return {"",
            Verdict::unknown,
            "",
            fmt::format("no client asked for the lock as late as {} after the crash of {}", seconds_text(*bound_),
                        waiting_.front().place),
            {waiting_.front().position}};
  }

  void forget() override { found_ = {}; }

  void encode(MonitorEncoding& into) const override {
    for (const Crash& crash : waiting_) into.numbers.push_back(into.age(crash.at, *bound_ + Duration(1)));
  }

 private:
  struct Crash {
    std::size_t position;
    Duration at;
    std::string place;
  };

  void exceed(std::size_t i, const Event& event, const Crash& crash) {
    found_ = {"",
              Verdict::violated,
              "",
              fmt::format("{} after the crash of {} {} still could not get the lock; {} are allowed",
                          seconds_text(event.at - crash.at), crash.place, header_.host_name(event.host),
                          seconds_text(*bound_)),
              {crash.position, i}};
  }

  const harness::Header& header_;
  const std::optional<Duration> bound_;
  std::vector<Crash> waiting_;  // crashes after which no client has got the lock
  Finding found_;
};

}  // namespace

std::unique_ptr<Monitor> watch_bounded_takeover(const harness::Header& header, const harness::Scenario& scenario) {
  return watch_each_lock<BoundedTakeover>(header, scenario);
}

Finding bounded_takeover(const harness::History& history, const harness::Scenario& scenario) {
  return judge_with(watch_bounded_takeover, history, scenario);
}

}  // namespace lockproof::check
