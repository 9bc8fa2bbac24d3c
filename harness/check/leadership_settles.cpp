// SPDX-License-Identifier: Apache-2.0
// Leadership settles: where no fault strikes or is under way for the time that the scenario allows ([judge] settled),
// one client is inside then, and stays the only one until the next fault. The kinds: `vacant`, nobody is inside;
// `divided`, several are; `hand-over`, another one enters afterwards. What counts is who is inside, whatever it may
// believe. Aguilera, Delporte-Gallet, Fauconnier and Toueg, "Stable leader election", 2001.
#include <fmt/format.h>

#include <iterator>
#include <optional>
#include <set>
#include <string>

#include "harness/check/by_lock.hpp"
#include "harness/check/monitor.hpp"
#include "harness/scenario/fault_table.hpp"

namespace lockproof::check {
namespace {

using harness::Event;
using harness::HostIndex;
using harness::What;

class LeadershipSettles final : public CopyableMonitor<LeadershipSettles> {
 public:
  LeadershipSettles(const harness::Header& header, const harness::Scenario& scenario)
      : header_(header), bound_(*scenario.settled) {}

  void see(std::size_t position, const Event& event) override {
    if (!judged_ && under_way_ == 0 && is_longer(calm_since_, event.at, bound_)) settle(position);
    switch (event.what) {
      case What::strike: disturb(event, 1); return;
      case What::heal: disturb(event, -1); return;
      case What::enter:
        inside_.insert(event.host);
        if (judged_ && leader_ && *leader_ != event.host) hand_over(position, event);
        return;
      case What::exit: inside_.erase(event.host); return;
      default: return;
    }
  }
  [[nodiscard]] Finding finding() const override { return found_; }
  void forget() override { found_ = {}; }

  void encode(MonitorEncoding& into) const override {
    const bool counts = under_way_ == 0 && !judged_;
    into.numbers.insert(into.numbers.end(), {under_way_, judged_, leader_.value_or(harness::no_host)});
    into.numbers.push_back(counts ? into.age(calm_since_, bound_ + Duration(1)) : -1);
    into.numbers.insert(into.numbers.end(), inside_.begin(), inside_.end());
  }

 private:
  void disturb(const Event& event, int change) {
    const bool ends_client = event.word == "crash" || event.word == "kill-task";
    if (ends_client) inside_.erase(event.host);
    const harness::FaultRow* const row = harness::row_named(event.word);
    if (row && row->ends == harness::FaultRow::End::always) under_way_ += change;
    calm_since_ = event.at;
    judged_ = false;
    leader_.reset();
  }

  /// Judges who is inside once the bound has passed.
  void settle(std::size_t position) {
    judged_ = true;
    if (inside_.size() == 1) {
      leader_ = *inside_.begin();
      return;
    }
    const Duration at = calm_since_ + bound_;
    if (inside_.empty()) {
      find("vacant", fmt::format("nobody is inside at {}", seconds_text(at)), position);
    } else {
      find("divided",
           fmt::format("{} and {} are inside at {}", header_.host_name(*inside_.begin()),
                       header_.host_name(*std::next(inside_.begin())), seconds_text(at)),
           position);
    }
  }

  void hand_over(std::size_t position, const Event& event) {
    find("hand-over", fmt::format("{} entered, and {} had settled", place(header_, event), header_.host_name(*leader_)),
         position);
    leader_ = event.host;
  }

  void find(const char* kind, const std::string& what, std::size_t position) {
    if (found_.verdict == Verdict::violated) return;
    found_ = {"",
              Verdict::violated,
              kind,
              fmt::format("{}, though no fault was at work since {}; {} are allowed", what, seconds_text(calm_since_),
                          seconds_text(bound_)),
              {position}};
  }

  const harness::Header& header_;
  const Duration bound_;
  std::set<HostIndex> inside_;
  int under_way_ = 0;      // faults that have struck and not ended
  Duration calm_since_{};  // the last strike or end of a fault
  bool judged_ = false;    // since then
  std::optional<HostIndex> leader_;
  Finding found_;
};

}  // namespace

std::unique_ptr<Monitor> watch_leadership_settles(const harness::Header& header, const harness::Scenario& scenario) {
  return watch_each_lock<LeadershipSettles>(header, scenario);
}

Finding leadership_settles(const harness::History& history, const harness::Scenario& scenario) {
  return judge_with(watch_leadership_settles, history, scenario);
}

}  // namespace lockproof::check
