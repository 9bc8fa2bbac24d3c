// SPDX-License-Identifier: Apache-2.0
#include "execution/review/review_lease.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "algorithms/expiry.hpp"
#include "harness/report/text/told_fault.hpp"

namespace lockproof::execution {
namespace {

using harness::in_seconds;

constexpr Duration likely_slack = milliseconds(4);  // of most locks: where the search begins
constexpr Duration further = seconds(10);           // beyond what should be enough
constexpr int once_more = 4;                        // times as long, before it is said that no lease is enough
constexpr Duration shown_as_slack = milliseconds(100);

std::string pause_text(const Review& review) {
  return review.pause ? fmt::format("any one pause of up to {}, or one lost message,", in_seconds(*review.pause))
                      : "any one lost message";
}

/// "43.004s = work + pause + 4ms", where that is how it comes about.
std::string derived(Duration lease, const Review& review) {
  const Duration pause = review.pause.value_or(Duration{});
  const Duration timeout = harness::Network().timeout;
  for (const auto& [with, sum] : {std::pair("work + pause", review.work.most + pause),
                                  std::pair("work + a call's time-out", review.work.most + timeout)}) {
    const Duration slack = lease - sum;
    if (slack < Duration{} || slack >= shown_as_slack) continue;
    return fmt::format("{} = {} + {}", in_seconds(lease), with, in_seconds(slack));
  }
  if (!review.pause) return in_seconds(lease);
  const Duration renewed = lease - pause - lease / 3;
  if (renewed >= -shown_as_slack && renewed < shown_as_slack) {
    return fmt::format("{}, of which a third may be over when it is renewed", in_seconds(lease));
  }
  return in_seconds(lease);
}

class LeaseSearch {
 public:
  LeaseSearch(const Review& review, const harness::AlgorithmRef& lock, const search::Limits& limits)
      : review_(review), limits_(limits),
        unit_(std::max<std::int64_t>(1, std::chrono::duration_cast<milliseconds>(lock->lease_unit).count())) {
    setting_.lock = lock;
    setting_.work = review.work.most;
  }

  LeaseBoundary run() {
    const Duration pause = review_.pause.value_or(Duration{});
    const std::int64_t guess = units(review_.work.most + pause + likely_slack);
    std::int64_t good = guess;
    for (const std::int64_t longer : {units(review_.work.most + pause + further), once_more * guess}) {
      if (at(good) == HoldVerdict::yes) break;
      good = longer;
    }
    boundary_.longest_tried = lease(good);
    if (const HoldVerdict last = at(good); last != HoldVerdict::yes) return none(last);
    if (good == guess && guess > 1 && at(guess - 1) == HoldVerdict::no) return found(guess);
    const std::int64_t least = std::max<std::int64_t>(1, units((review_.pause ? pause : review_.work.most) / 2));
    const HoldVerdict shortest = at(least);
    if (shortest == HoldVerdict::yes) return whatever(least);
    if (shortest == HoldVerdict::unknown) return none(shortest);
    const auto edge = bisect(least, good, [&](std::int64_t middle) { return at(middle); });
    return edge ? found(*edge) : none(HoldVerdict::unknown);
  }

 private:
  [[nodiscard]] std::int64_t units(Duration d) const {
    const std::int64_t ms = (d.count() + 999) / 1000;
    return (ms + unit_ - 1) / unit_;
  }
  [[nodiscard]] milliseconds lease(std::int64_t units) const { return milliseconds(units * unit_); }
  HoldVerdict at(std::int64_t units) {
    const auto known = searched_.find(units);
    if (known != searched_.end()) return known->second;
    setting_.lease = lease(units);
    setting_.budget = delays_of_work(review_, setting_);
    const HoldVerdict answer =
        holds(review_.name, scenario_of(review_, setting_), "mutual-exclusion", limits_, boundary_.states);
    searched_.emplace(units, answer);
    return answer;
  }
  LeaseBoundary none(HoldVerdict last) {
    boundary_.unknown = last == HoldVerdict::unknown;
    boundary_.text = boundary_.unknown
                         ? fmt::format("two at once: which lease is safe from {} is unknown: a search was too large",
                                       pause_text(review_))
                         : fmt::format("two at once: no lease of up to {} is safe from {}",
                                       in_seconds(boundary_.longest_tried), pause_text(review_));
    if (boundary_.text.ends_with(',')) boundary_.text.pop_back();
    return boundary_;
  }
  LeaseBoundary whatever(std::int64_t least) {
    boundary_.whatever = true;
    if (expiry_of(*setting_.lock) == Expiry::none) {
      boundary_.text = fmt::format("two at once: safe from {} and there is no lease", pause_text(review_));
      return boundary_;
    }
    boundary_.text = fmt::format("two at once: safe from {} with any lease that was tried, from {} on",
                                 pause_text(review_), in_seconds(lease(least)));
    return boundary_;
  }
  LeaseBoundary found(std::int64_t edge) {
    boundary_.shortest = lease(edge);
    boundary_.text =
        fmt::format("two at once: safe from {} while lease >= {} (searched: {} holds, {} breaks)", pause_text(review_),
                    derived(lease(edge), review_), in_seconds(lease(edge)), in_seconds(lease(edge - 1)));
    return boundary_;
  }

  const Review& review_;
  const search::Limits& limits_;
  const std::int64_t unit_;  // in milliseconds
  Setting setting_;
  LeaseBoundary boundary_;
  std::map<std::int64_t, HoldVerdict> searched_;  // by units
};

}  // namespace

LeaseBoundary lease_boundary(const Review& review, const harness::AlgorithmRef& lock, const search::Limits& limits) {
  return LeaseSearch(review, lock, limits).run();
}

std::string start_boundary(const Review& review, Setting setting, const search::Limits& limits, std::uint64_t& states) {
  setting.budget.clear();
  const auto at = [&](std::int64_t ms) {
    setting.later = {milliseconds(ms)};
    // `bisect` looks for the least that is good, and here less is better.
    const HoldVerdict answer = holds(review.name, scenario_of(review, setting), "once-per-period", limits, states);
    return answer == HoldVerdict::unknown ? answer : answer == HoldVerdict::yes ? HoldVerdict::no : HoldVerdict::yes;
  };
  const std::int64_t most = std::chrono::duration_cast<milliseconds>(review.start.most).count();
  if (most == 0 || at(most) != HoldVerdict::yes || at(0) != HoldVerdict::no) return "";
  const auto edge = bisect(0, most, at);
  if (!edge) return "";
  return fmt::format("once per period while the last begins no more than {} after the first (searched: {} breaks)",
                     in_seconds(milliseconds(*edge - 1)), in_seconds(milliseconds(*edge)));
}

}  // namespace lockproof::execution
