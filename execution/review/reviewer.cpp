// SPDX-License-Identifier: Apache-2.0
#include "execution/review/reviewer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "algorithms/expiry.hpp"
#include "execution/review/review_cost.hpp"
#include "execution/review/review_drift.hpp"
#include "execution/review/review_picture.hpp"
#include "execution/team.hpp"
#include "harness/report/text/assumptions.hpp"
#include "harness/report/text/told_fault.hpp"
#include "harness/scenario/file/parse.hpp"
#include "harness/scenario/names.hpp"

namespace lockproof::execution {
namespace {

using harness::Concern;
using harness::ReviewCell;
using harness::ReviewReport;
using Verdict = ReviewCell::Verdict;

constexpr int many_clients = 3;
constexpr std::uint64_t fewer_of_many = 4;            // a factor, for what is only looked at further
constexpr Duration past_the_work = milliseconds(10);  // when whoever begins then finds the lock free again

milliseconds rounded_up(milliseconds d, milliseconds unit) { return (d + unit - milliseconds(1)) / unit * unit; }

}  // namespace

Setting Reviewer::setting_of(const Subject& subject) const {
  Setting setting;
  setting.lock = subject.lock;
  setting.lease = subject.lease;
  setting.work = review_.work.most;
  return setting;
}

/// The work, what may delay it once (a pause, or a call that times out), and a second.
void Reviewer::choose_lease(Subject& subject) const {
  const Algorithm& lock = *subject.lock;
  const milliseconds unit = std::max(milliseconds(1), std::chrono::duration_cast<milliseconds>(lock.lease_unit));
  if (!takes_lease(lock)) {
    subject.lease = lock.lease;
    subject.row.lease = harness::in_seconds(Duration(lock.lease)) + ", its own";
    return;
  }
  if (expiry_of(lock) == Expiry::none) {
    subject.lease = lock.lease;
    return;
  }
  const Duration delay = std::max(review_.pause.value_or(Duration{}), harness::Network().timeout);
  const Duration enough = review_.work.most + delay + seconds(1);
  subject.lease = rounded_up(std::chrono::duration_cast<milliseconds>(review_.lease.value_or(enough)),
                             review_.lease ? unit : milliseconds(1000));
  subject.row.lease = harness::in_seconds(Duration(subject.lease));
}

void Reviewer::find_boundary(Subject& subject) const {
  if (!takes_lease(*subject.lock)) return;
  search::Limits limits = order_.limits;
  limits.work = work_of(Stage::boundary);
  const LeaseBoundary edge = lease_boundary(review_, subject.lock, limits);
  subject.row.boundaries.push_back(edge.text);
  subject.row.states += edge.states;
  if (review_.lease || !edge.shortest || Duration(*edge.shortest) <= Duration(subject.lease)) return;
  const auto longer = rounded_up(*edge.shortest, seconds(1));
  subject.row.boundaries.push_back(
      fmt::format("the verdicts are of a lease of {}, which is too short: state lease = \"{}\"", subject.row.lease,
                  harness::to_text(Duration(longer))));
}

void Reviewer::search_one(const Subject& subject, Setting setting, const Trouble& trouble,
                          const std::set<Concern>& concerns, SearchRecord& into) const {
  setting.budget = trouble.budget;
  setting.most = trouble.most;
  search::Limits limits = order_.limits;
  if (setting.clients > 2) limits.work /= fewer_of_many;
  limits.work = std::min({limits.work, into.most, into.left});
  if (into.left == 0) {
    into.unsearched.push_back(trouble.label);
    for (const Concern concern : concerns) {
      add(into.cells[concern], {ReviewCell::Verdict::unknown, {}, trouble.label + ": the work for it was over"});
    }
    return;
  }
  const ReviewSearch search(subject.row.lock, scenario_of(review_, setting), limits, into.open, into.again);
  for (const Concern concern : concerns) {
    ReviewCell cell = search.cell(concern);
    if (cell.verdict == Verdict::broken) into.broken_by.insert(trouble.label), into.open.erase(concern);
    if (!cell.why.empty()) cell.why = fmt::format("{}: {}", trouble.label, cell.why);
    add(into.cells[concern], std::move(cell));
  }
  into.states += search.states();
  into.left -= std::min(into.left, search.states());
  into.cut |= search.ended_early();
  if (!search.whole()) into.unsearched.push_back(trouble.label);
  for (const std::string& never : search.never_struck()) into.unsearched.push_back(never + ", which never strikes");
}

void Reviewer::search(const Subject& subject, Setting setting, const std::set<Concern>& concerns, SearchRecord& into,
                      const std::function<bool()>& enough) const {
  std::vector<Trouble> all = into.pairs ? pairs_of_troubles(review_, setting) : troubles(review_, setting);
  std::ranges::stable_partition(all, [&](const Trouble& trouble) { return into.sooner.contains(trouble.label); });
  for (const Trouble& trouble : all) {
    if (enough && enough()) {
      into.cut = true;
      return;
    }
    search_one(subject, setting, trouble, concerns, into);
  }
}

void Reviewer::periods(Subject& subject) const {
  if (!review_.must_not.contains(Concern::runs_twice)) return;
  Setting setting = setting_of(subject);
  setting.work = review_.work.least;
  std::vector<Duration> later{review_.start.most - review_.start.least};
  for (const Duration one : {review_.work.least + past_the_work, Duration{}}) {
    if (one < later.front()) later.push_back(one);
  }
  SearchRecord searched{subject.row.cells};
  searched.left = work_of(Stage::period);
  const auto broken = [&] { return subject.row.cells[Concern::runs_twice].verdict == Verdict::broken; };
  for (const Duration one : later) {
    setting.later = {one};
    search(subject, setting, {Concern::runs_twice}, searched, broken);
  }
  setting.later = {later.front()};
  add_drift(subject, setting, searched);
  const std::string edge = start_boundary(review_, setting, order_.limits, searched.states);
  if (!edge.empty()) subject.row.boundaries.push_back(edge);
  subject.row.states += searched.states;
  subject.row.searches.push_back(
      fmt::format("2 clients that come by the period, at most 1 fault: {} states", searched.states));
}

/// What comes of clocks that have run wrong for many periods.
void Reviewer::add_drift(const Subject& subject, const Setting& setting, SearchRecord& into) const {
  if (review_.clock_rate_ppb == 0) return;
  add(into.cells[Concern::runs_twice], drift_cell(review_, setting, subject.row.lock, order_.limits, into.states));
}

/// Where this is too large, the cells say what was searched before, and what was not is told apart.
void Reviewer::deepen(Subject& subject) const {
  const auto further = [&](const std::string& what, const Setting& setting, bool pairs) {
    std::map<Concern, ReviewCell> cells;
    SearchRecord searched{cells};
    searched.pairs = pairs;
    searched.left = work_of(Stage::deepening);
    search(subject, setting, of_faults, searched);
    for (auto& [concern, cell] : cells) {
      if (cell.verdict == Verdict::broken) add(subject.row.cells[concern], std::move(cell));
    }
    subject.row.states += searched.states;
    subject.row.searches.push_back(
        fmt::format("{}, at most {}: {} states", what, pairs ? "2 faults" : "1 fault", searched.states));
    for (const std::string& one : searched.unsearched) {
      if (!one.ends_with("strikes")) subject.unsearched.push_back(fmt::format("{}, {}", what, one));
    }
  };
  Setting setting = setting_of(subject);
  further(fmt::format("2 clients, work {}", harness::in_seconds(setting.work)), setting, true);
  if (review_.work.least != review_.work.most) {
    setting.work = review_.work.least;
    further(fmt::format("2 clients, work {}", harness::in_seconds(setting.work)), setting, false);
    setting.work = review_.work.most;
  }
  if (review_.competitors < many_clients) return;
  setting.clients = many_clients;
  further(fmt::format("3 clients, work {}", harness::in_seconds(setting.work)), setting, false);
}

void Reviewer::measure_cost(Subject& subject) const {
  const Cost cost = cost_of(review_, setting_of(subject), subject.row.lock);
  subject.row.cost = cost.text;
  subject.row.never_free = !cost.free_after_crash;
}

/// Of each concern the smallest cause.
void Reviewer::make_readable(Subject& subject) const {
  for (auto& [concern, cell] : subject.row.cells) {
    if (!cell.causes.empty() && !order_.limits.stop.stop_requested()) {
      change_run(cell.causes.front(), subject.row.lock, sim::round_asks, {});
    }
  }
}

void Reviewer::drop_steps(Subject& subject) const {
  const auto drop = [&](std::map<Concern, ReviewCell>& cells) {
    for (auto& [concern, cell] : cells) {
      for (harness::ReviewCause& cause : cell.causes)
        change_run(cause, subject.row.lock, sim::drop_steps, order_.limits.stop);
    }
  };
  drop(subject.row.cells);
  for (harness::ReviewRemedy& remedy : subject.remedies) drop(remedy.cells);
}

void Reviewer::side_by_side(const Progress& progress, std::size_t count,
                            const std::function<void(std::size_t)>& part) const {
  share_among(order_.workers, count, part, [&](std::size_t done) {
    if (order_.tell) order_.tell(progress.done + done, progress.all, progress.what);
  });
}

void Reviewer::for_each_subject(const std::string& what, const std::vector<std::size_t>& which,
                                void (Reviewer::*stage)(Subject&) const) {
  side_by_side({what, 0, which.size()}, which.size(), [&](std::size_t i) { (this->*stage)(subjects_[which[i]]); });
  tell_rows();
}

void Reviewer::tell_rows() const {
  if (!order_.tell_rows) return;
  ReviewReport report;
  report.asked.assign(review_.must_not.begin(), review_.must_not.end());
  for (const Subject& subject : subjects_) report.rows.push_back(subject.row);
  report.best = best();
  order_.tell_rows(report);
}

/// Of each concern once: where the first lock of the page does not keep it.
void Reviewer::draw_pictures(ReviewReport& report) const {
  std::set<Concern> drawn;
  for (const std::size_t i : rows_of_page(report)) {
    harness::ReviewRow& row = report.rows[i];
    for (auto& [concern, cell] : row.cells) {
      if (cell.causes.empty() || !review_.must_not.contains(concern) || !drawn.insert(concern).second) continue;
      cell.causes.front().picture = small_picture(cell.causes.front(), row.lock);
    }
  }
}

void Reviewer::search_all(ReviewReport& report) {
  for (const harness::AlgorithmRef& lock : review_.locks) {
    const std::string why = misfit(review_, *lock);
    if (!why.empty()) {
      report.misfits.emplace_back(lock->name, why);
      continue;
    }
    Subject subject;
    subject.lock = lock;
    subject.row.lock = lock->name;
    subject.row.own = lock.is_file();
    subjects_.push_back(std::move(subject));
  }
  const std::vector<std::size_t> all = best();
  for_each_subject("leases", all, &Reviewer::choose_lease);
  for_each_subject("costs", all, &Reviewer::measure_cost);
  std::vector<FaultSearch> parts = parts_of(all);
  search_first(parts);
  for_each_subject("periods", all, &Reviewer::periods);
  search_best(parts);
}

std::vector<harness::AlgorithmRef> Reviewer::rank() {
  ReviewReport report;
  search_all(report);
  std::vector<harness::AlgorithmRef> locks;
  for (const std::size_t i : best()) locks.push_back(subjects_[i].lock);
  return locks;
}

ReviewReport Reviewer::run() {
  ReviewReport report;
  search_all(report);
  for (Subject& subject : subjects_) {
    subject.row.states += subject.of_one_fault;
    subject.row.searches.push_back(fmt::format("2 clients, work {}, at most 1 fault: {} states",
                                               harness::in_seconds(review_.work.most), subject.of_one_fault));
  }
  for_each_subject("boundaries", first(searched_deeper), &Reviewer::find_boundary);
  for_each_subject("locks with other clients and work", first(searched_deeper), &Reviewer::deepen);
  for_each_subject("locks with what may mend them", first(searched_deeper), &Reviewer::find_remedies);
  for_each_subject("locks with counterexamples", order_.scenarios ? best() : first(of_a_page), &Reviewer::drop_steps);
  if (order_.evidence) for_each_subject("locks with evidence", first(of_a_page), &Reviewer::make_readable);
  for (Subject& subject : subjects_) {
    const std::string toml = scenario_of(review_, setting_of(subject));
    subject.row.measures = harness::measures_of(harness::parse_scenario(subject.row.lock, toml));
    report.rows.push_back(subject.row);
    std::ranges::move(subject.remedies, std::back_inserter(report.remedies));
  }
  report.best = best();
  draw_pictures(report);
  describe(report);
  answer(report);
  return report;
}

}  // namespace lockproof::execution
