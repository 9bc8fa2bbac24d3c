// SPDX-License-Identifier: Apache-2.0
// What a Reviewer says in the end: which lock, what would mend it, and what was not searched.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "execution/review/reviewer.hpp"
#include "harness/check/expectation.hpp"
#include "harness/report/text/told_fault.hpp"
#include "harness/scenario/services.hpp"

namespace lockproof::execution {
namespace {

using harness::Concern;
using harness::in_seconds;
using harness::ReviewCell;
using harness::ReviewRemedy;
using harness::ReviewReport;
using Verdict = ReviewCell::Verdict;

std::string window_text(const harness::Window& window) {
  return window.least == window.most ? in_seconds(window.least)
                                     : fmt::format("{} to {}", in_seconds(window.least), in_seconds(window.most));
}

std::string service_text(const Review& review) {
  std::string text = fmt::format("{}", harness::row_of(review.service).name);
  text[0] = static_cast<char>(text[0] - 'a' + 'A');
  if (review.masters > 1) text = fmt::format("{} servers of {}", review.masters, text);
  if (review.replicas > 0) text += fmt::format(" with {} replica{}", review.replicas, review.replicas == 1 ? "" : "s");
  if (review.down_after) text += fmt::format(" and a Sentinel (down_after {})", in_seconds(*review.down_after));
  return text;
}

bool is_broken(const harness::ReviewRow& row, Concern concern) {
  const auto cell = row.cells.find(concern);
  return cell != row.cells.end() && cell->second.verdict == Verdict::broken;
}

std::vector<std::string> names_of(const harness::ReviewRow& row, const std::set<Concern>& asked, Verdict verdict) {
  std::vector<std::string> names;
  for (const Concern concern : asked) {
    const auto cell = row.cells.find(concern);
    if (cell != row.cells.end() && cell->second.verdict == verdict) names.emplace_back(harness::name(concern));
  }
  return names;
}

}  // namespace

/// Those that are free again after a crash; of them, those of which the most is held, and the least broken; of equal
/// ones those whose authors claim more.
std::vector<std::size_t> Reviewer::best() const {
  std::vector<std::size_t> order(subjects_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto rank = [&](std::size_t i) {
    const harness::ReviewRow& row = subjects_[i].row;
    const Claims& claims = subjects_[i].lock->claims;
    const auto unclaimed = std::ranges::count_if(
        std::array{claims.double_grant, claims.outlived, claims.owner_release, claims.bounded_takeover},
        [](Claim claim) { return claim != Claim::always; });
    const auto held = static_cast<std::ptrdiff_t>(names_of(row, review_.must_not, Verdict::held).size());
    return std::tuple(row.never_free, -held, names_of(row, review_.must_not, Verdict::broken).size(), unclaimed);
  };
  std::ranges::stable_sort(order, {}, rank);
  return order;
}

bool Reviewer::breaks_all(const Subject& subject) const {
  return std::ranges::all_of(asked_of_faults(), [&](Concern concern) { return is_broken(subject.row, concern); });
}

/// The best of which everything that was asked is known, and which is free again after a crash. Null: there is none.
const Reviewer::Subject* Reviewer::best_known() const {
  for (const std::size_t i : best()) {
    const harness::ReviewRow& row = subjects_[i].row;
    const bool holds_some = !names_of(row, review_.must_not, Verdict::held).empty();
    const bool open = !names_of(row, review_.must_not, Verdict::unknown).empty();
    if (holds_some && !open && !row.never_free) return &subjects_[i];
  }
  return nullptr;
}

std::vector<std::size_t> Reviewer::first(std::size_t most) const {
  std::vector<std::size_t> some;
  std::size_t of_the_catalogue = 0;
  for (const std::size_t i : best()) {
    if (!subjects_[i].row.own && of_the_catalogue++ >= most) continue;
    some.push_back(i);
  }
  return some;
}

/// It is searched as long as something that is broken may be mended, and what broke it without the remedy first.
ReviewRemedy Reviewer::tried(const Subject& subject, const std::vector<Remedy>& remedies) const {
  ReviewRemedy result;
  result.lock = subject.row.lock;
  Setting setting = setting_of(subject);
  setting.remedies = remedies;
  std::vector<std::string> words;
  for (const Remedy remedy : remedies) words.push_back(in_words(remedy));
  result.what = fmt::format("{}", fmt::join(words, ", and "));
  const std::set<Concern>& asked = review_.must_not;
  const auto violated_still = [&](Concern concern) {
    return !is_broken(subject.row, concern) || result.cells[concern].verdict == Verdict::broken;
  };
  const auto violated_before = [&](const std::set<Concern>& of) {
    std::set<Concern> some;
    std::ranges::copy_if(of, std::inserter(some, some.end()), [&](Concern one) { return is_broken(subject.row, one); });
    return some;
  };
  const std::set<Concern> others = asked_of_faults();
  SearchRecord searched{result.cells};
  searched.sooner = subject.broken_by;
  searched.left = work_of(Stage::remedies);
  if (asked.contains(Concern::runs_twice)) {
    Setting by_period = setting;
    by_period.work = review_.work.least;
    by_period.later = {review_.start.most - review_.start.least};
    searched.open = violated_before({Concern::runs_twice});
    search(subject, by_period, {Concern::runs_twice}, searched, [&] { return violated_still(Concern::runs_twice); });
    if (result.cells[Concern::runs_twice].verdict != Verdict::broken) add_drift(subject, by_period, searched);
  }
  searched.open = violated_before(others);
  search(subject, setting, others, searched, [&] { return std::ranges::all_of(others, violated_still); });
  // Of what was not broken before, nothing is said that was not searched whole.
  if (searched.cut) {
    std::erase_if(result.cells, [&](const auto& one) {
      return !is_broken(subject.row, one.first) && one.second.verdict != Verdict::broken;
    });
  }
  result.all_hold = std::ranges::all_of(asked, [&](Concern concern) {
    const auto cell = result.cells.find(concern);
    return cell != result.cells.end() && cell->second.verdict == Verdict::held;
  });
  for (const auto& [concern, cell] : result.cells) {
    const bool mended = cell.verdict == Verdict::held && is_broken(subject.row, concern);
    if (mended) result.mends.emplace_back(harness::name(concern));
  }
  return result;
}

void Reviewer::find_remedies(Subject& subject) const {
  if (names_of(subject.row, review_.must_not, Verdict::broken).empty()) return;
  std::vector<Remedy> all;
  for (const Concern concern : review_.must_not) {
    if (!is_broken(subject.row, concern)) continue;
    for (const Remedy remedy : remedies_for(review_, concern)) {
      if (std::ranges::find(all, remedy) == all.end()) all.push_back(remedy);
    }
  }
  for (const Remedy remedy : all) subject.remedies.push_back(tried(subject, {remedy}));
  if (all.size() < 2) return;
  // All together, and then without each that is not needed for what they mend.
  ReviewRemedy together = tried(subject, all);
  const bool one_does_it = std::ranges::any_of(subject.remedies, [&](const ReviewRemedy& one) {
    return one.lock == subject.row.lock && one.mends == together.mends && one.all_hold == together.all_hold;
  });
  if (one_does_it || together.mends.empty()) return;
  for (std::size_t k = all.size(); k-- > 0 && all.size() > 1;) {
    std::vector<Remedy> fewer = all;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
    ReviewRemedy without = tried(subject, fewer);
    if (without.mends != together.mends) continue;
    all = std::move(fewer);
    together = std::move(without);
  }
  if (all.size() > 1) subject.remedies.push_back(std::move(together));
}

void Reviewer::describe(ReviewReport& report) const {
  report.file = review_.file;
  report.title = review_.title.empty() ? review_.name : review_.title;
  report.asked.assign(review_.must_not.begin(), review_.must_not.end());
  report.question = fmt::format(
      "{} compete for a job of {}{}, on {}", fmt::format("{} servers", review_.competitors), window_text(review_.work),
      review_.period ? fmt::format(" once in {}", in_seconds(*review_.period)) : "", service_text(review_));
  std::vector<std::string>& not_searched = report.not_searched;
  const bool comes_by_period = review_.period && review_.must_not.contains(Concern::runs_twice);
  if (comes_by_period) {
    report.searched.push_back("runs twice: 2 clients that come by the period and ask as it is written, in period 1");
  }
  if (comes_by_period && review_.clock_rate_ppb > 0) {
    report.searched.push_back(
        "runs twice: clocks that run wrong from the start, up to the period in which they matter");
  }
  const bool only_twice = comes_by_period && review_.must_not.size() == 1;
  if (!only_twice) {
    report.searched.push_back(fmt::format(
        "{}2 clients, one round each, who ask {}", comes_by_period ? "the others: " : "",
        harness::row_of(review_.service).counts_all ? "as it is written"
                                                    : "at every asking instant (docs/semantics/asking.md)"));
  }
  report.searched.push_back(
      "at most 1 fault in one run, at every event of the host that it strikes; each kind and length by itself");
  std::vector<std::string> lasts;
  for (const Duration one : outages(review_)) lasts.push_back(in_seconds(one));
  report.searched.push_back(fmt::format("outages of {}", fmt::join(lasts, ", ")));
  if (review_.pause)
    report.searched.push_back(
        fmt::format("pauses of {} and {}", in_seconds(*review_.pause / 2), in_seconds(*review_.pause)));
  not_searched.push_back("two faults in one run, but for a promotion of a replica that lags; latencies other than 1ms");
  not_searched.push_back(comes_by_period && review_.clock_rate_ppb > 0
                             ? "more than one round, but for clocks that run wrong from the start"
                             : "more than one round");
  not_searched.push_back("durations between those listed, but for the boundaries");
  if (!review_.pause) not_searched.push_back("pauses of hosts: 'pause' is not given");
  if (!review_.clock_jump) not_searched.push_back("clocks that jump: 'clock_jump' is not given");
  if (review_.clock_rate_ppb == 0) not_searched.push_back("clocks that run fast or slow: 'clock_rate' is not given");
  if (!review_.network)
    not_searched.push_back("hosts that are cut off, and messages that are late: 'network' is not given");
  if (!review_.evicts) not_searched.push_back("keys that a server evicts, and FLUSHALL");
  if (review_.competitors > 2) {
    not_searched.push_back(review_.competitors > 3 ? "more than 3 clients, and 3 of other locks than the best"
                                                   : "3 clients of other locks than the best");
  }
  not_searched.push_back("of a lock that breaks all that was asked and is not among the best, further faults");
  std::map<std::string, std::vector<std::string>> locks;  // of what was not searched whole
  for (const Subject& subject : subjects_) {
    for (const std::string& one : subject.unsearched) locks[one].push_back(subject.row.lock);
  }
  std::map<std::string, std::vector<std::string>> by_locks;
  for (const auto& [what, whose] : locks) by_locks[fmt::format("{}", fmt::join(whose, ", "))].push_back(what);
  for (const auto& [whose, what] : by_locks) {
    not_searched.push_back(fmt::format("of {}, not whole: {}", whose, fmt::join(what, "; ")));
  }
}

void Reviewer::answer(ReviewReport& report) const {
  std::vector<std::string> keeps;
  bool unknown = false;
  for (const Subject& subject : subjects_) {
    const bool breaks = !names_of(subject.row, review_.must_not, Verdict::broken).empty();
    const bool open = !names_of(subject.row, review_.must_not, Verdict::unknown).empty();
    unknown |= open && !breaks;  // what breaks does not keep everything, whatever the rest comes to
    const std::string lease = subject.row.lease.empty() ? "no lease" : "lease " + subject.row.lease;
    const char* const but = subject.row.never_free ? ", and never free after a crash" : "";
    if (!breaks && !open) keeps.push_back(fmt::format("{} ({}{})", subject.row.lock, lease, but));
  }
  report.exit_code = !keeps.empty() ? check::exit_code::met
                     : unknown      ? check::exit_code::unknown
                                    : check::exit_code::failed;
  if (subjects_.empty()) {
    report.answer.emplace_back("no lock fits this service");
    return;
  }
  if (!keeps.empty()) {
    report.answer.push_back(fmt::format("within what was searched nothing breaks {}", fmt::join(keeps, ", ")));
    return;
  }
  report.answer.push_back(
      unknown ? "no lock that fits is known to keep all that was asked"
              : fmt::format("none of the {} locks that fit keeps all that was asked", subjects_.size()));
  if (const Subject* known = best_known()) {
    std::vector<std::string> words;
    for (const auto& [word, verdict] : {std::pair("held", Verdict::held), std::pair("broken", Verdict::broken)}) {
      const auto names = names_of(known->row, review_.must_not, verdict);
      if (!names.empty()) words.push_back(fmt::format("{}: {}", word, fmt::join(names, ", ")));
    }
    report.answer.push_back(fmt::format("{} comes closest: {}", known->row.lock, fmt::join(words, "; ")));
  }
  for (const ReviewRemedy& remedy : report.remedies) {
    if (remedy.all_hold) report.answer.push_back(fmt::format("{} does, if you {}", remedy.lock, remedy.what));
  }
}

}  // namespace lockproof::execution
