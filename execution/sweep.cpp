// SPDX-License-Identifier: Apache-2.0
#include "execution/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "execution/traced_execution.hpp"
#include "harness/check/lateness.hpp"
#include "harness/report/text/executed.hpp"
#include "harness/report/verdicts.hpp"
#include "harness/scenario/names.hpp"
#include "harness/stop.hpp"
#include "real/errors.hpp"
#include "real/os/shared_files.hpp"
#include "real/os/side_by_side.hpp"
#include "real/run/learned_run.hpp"
#include "real/run/run.hpp"
#include "tracer/log.hpp"

namespace lockproof::execution {
namespace {

using Clock = std::chrono::steady_clock;
using check::Verdict;
using harness::EventPlace;
using harness::SweptReport;
using harness::SweptViolation;
using Strike = SweptReport::Strike;

constexpr int references = 5;
constexpr int tries_most = 3;        // of a strike that does not happen
constexpr std::size_t batches = 4;   // of runs for each job, between two looks at the clock
constexpr unsigned undisturbed = 2;  // runs at once, where it matters that none of them is late

/// A run that is to be made, and where its result goes.
struct Order {
  harness::Scenario scenario;
  std::size_t strike;
};

bool happened(const harness::History& history, const harness::Scenario& scenario) {
  std::set<int> struck;
  for (const harness::Event& event : history.events) {
    if (event.what == harness::What::strike) struck.insert(event.fault);
  }
  return struck.size() >= scenario.faults.size();
}

bool counts(const check::Finding& finding) {
  return finding.verdict == Verdict::violated && finding.property != "exercised";
}

/// A call that does not come back is one finding; that its client wants the lock meanwhile is the same.
bool is_said_already(const check::Finding& finding, const std::vector<check::ComparedFinding>& all) {
  if (finding.property != "deadlock-freedom" || !finding.kind.empty()) return false;
  return std::ranges::any_of(all, [](const check::ComparedFinding& c) {
    return c.finding.property == "answers" && c.finding.verdict == Verdict::violated;
  });
}

std::vector<check::ComparedFinding> judged(const harness::History& history, const harness::Scenario& scenario) {
  return check::compare(check::without_excused(check::judge_real(history, scenario)), std::nullopt);
}

struct MadeRun {
  harness::History history;
  std::string digest;   // of a traced one
  bool is_cut = false;  // … which may differ another time
};

/// `briefly`: see real::Options; in virtual time it takes no time to follow a program.
MadeRun make_run(const SweepOrder& order, const harness::Scenario& scenario, bool briefly) {
  if (!order.traced) return {real::run(scenario, {.programs = order.programs, .follows_briefly = briefly}), {}, false};
  TracedExecution run = execute_traced(scenario, order.programs);
  return {std::move(run.history), std::move(run.digest), run.is_cut};
}

/// In a process of its own: what the run answers is a line of flags and its digest, then a report.
std::string sweep_run(const SweepOrder& order, const harness::Scenario& scenario) {
  const MadeRun run = make_run(order, scenario, true);
  harness::RunReport report;
  report.describe(scenario);
  report.properties = judged(run.history, scenario);
  return fmt::format("{}{}{}\n{}", happened(run.history, scenario) ? 's' : '-',
                     run.is_cut || check::too_late(run.history) ? 'l' : '-', run.digest, verdict_json(report));
}

class Sweep {
 public:
  explicit Sweep(const SweepOrder& order) : order_(order), scenario_(*order.scenario) {}

  SweptReport run() {
    const real::SharedFiles files;
    report_.describe(scenario_);
    report_.jobs = order_.jobs;
    report_.traced = order_.traced;
    if (!order_.traced) report_.followed = harness::to_text(Duration(*scenario_.clients.front().plan.lease));
    report_.kinds = order_.kinds.empty() ? sweep_kinds(scenario_) : order_.kinds;
    learn();
    refer();
    std::vector<Order> orders;
    for (const std::string& kind : report_.kinds) {
      for (const EventPlace& event : events_) plan(orders, scenario_, kind, event);
    }
    strike_all(in_rounds(std::move(orders)));
    if (order_.pairs) strike_pairs();
    repeat_new();
    report_.left_out += std::erase_if(report_.strikes, [](const Strike& s) { return s.runs == 0; });
    group(report_);
    if (order_.write) write_findings(report_, scenario_, order_.out, order_.write);
    if (!order_.traced) report_.seconds = seconds();
    return std::move(report_);
  }

 private:
  [[nodiscard]] double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  [[nodiscard]] bool may_go_on() const { return !order_.stop.stop_requested(); }

  /// One key for all runs.
  void learn() {
    report_.key = order_.traced ? key_in_virtual_time()
                                : real::learn_key(scenario_, {.programs = order_.programs, .stop = order_.stop}).key;
    scenario_.program->known_key = report_.key;
    if (check::is_never_granted(scenario_))
      throw harness::NoGrantError(fmt::format("{}: cannot be judged: {}", scenario_.file, key_sentence(report_.key)));
  }

  [[nodiscard]] harness::ProgramKey key_in_virtual_time() const {
    std::string learned;
    real::side_by_side(
        1, 1, [this](std::size_t) { return key_text(*execute_traced(scenario_, order_.programs).report.key); },
        [&](std::size_t, std::string text) { learned = std::move(text); }, [this] { return may_go_on(); },
        real::UnfinishedPolicy::ended);
    if (learned.empty()) throw harness::Cancellation();
    return harness::key_from_text(learned);
  }

  /// The runs without faults: what all of them have is struck. What they violate is found without any fault.
  void refer() {
    Strike without;
    std::map<std::string, int> seen;
    std::vector<EventPlace> first;
    const auto work = [&](std::size_t) {
      const MadeRun run = make_run(order_, scenario_, false);
      const harness::History& history = run.history;
      const auto start = std::ranges::find(history.events, harness::What::start, &harness::Event::what);
      const std::string name = start == history.events.end() ? "" : start->word;
      std::string text = fmt::format("{}{}\n", check::too_late(history) ? "-l" : "--", name);
      for (const EventPlace& event : events_of(history)) text += to_text(event) + "\n";
      harness::RunReport report;
      report.describe(scenario_);
      report.properties = judged(history, scenario_);
      return text + "\n" + verdict_json(report);
    };
    real::side_by_side(
        order_.traced ? 1 : references, std::min(undisturbed, order_.jobs), work,
        [&](std::size_t, const std::string& text) {
          const std::size_t blank = text.find("\n\n");
          const std::size_t head = text.find('\n');
          report_.program = text.substr(2, head - 2);
          std::string_view lines = std::string_view(text).substr(head + 1, blank - head);
          std::set<std::string> here;
          while (!lines.empty()) {
            const std::string line(lines.substr(0, lines.find('\n')));
            lines.remove_prefix(line.size() + 1);
            if (!here.insert(line).second) continue;
            if (seen[line]++ == 0) first.push_back(*harness::when_from(line));
          }
          take(without, text.substr(0, 2) + "\n" + text.substr(blank + 2));
        },
        [this] { return may_go_on(); }, real::UnfinishedPolicy::ended);
    if (without.runs == 0) throw harness::Cancellation();
    report_.references = without.runs;
    for (const EventPlace& event : first) {
      const bool always = seen.at(to_text(event)) == report_.references;
      (always ? report_.events : report_.not_in_every).push_back(to_text(event));
      if (always) events_.push_back(event);
    }
    report_.strikes.push_back(std::move(without));
    if (events_.empty()) throw real::BadEnvironment("the program does nothing that is the same in every run");
  }

  void plan(std::vector<Order>& orders, const harness::Scenario& base, const std::string& kind, const EventPlace& event,
            const std::string& first_kind = {}, const EventPlace* first = nullptr) {
    harness::Scenario with = struck(base, kind, event);
    if (with.faults.size() == base.faults.size()) return;
    Strike strike;
    strike.fault = first ? first_kind : kind;
    strike.event = to_text(first ? *first : event);
    strike.place = place_of(first ? *first : event);
    if (first) strike.second = fmt::format("{} at {}", kind, to_text(event));
    orders.push_back({std::move(with), report_.strikes.size()});
    report_.strikes.push_back(std::move(strike));
  }

  static std::string place_of(EventPlace event) {
    event.occurrence = event.round = 1;
    return to_text(event);
  }

  /// A second fault behind each that violated nothing; neither of them violates anything alone.
  void strike_pairs() {
    std::set<std::pair<std::string, std::string>> harmless;
    for (const Strike& s : report_.strikes) {
      if (s.struck > 0 && s.found.empty()) harmless.insert({s.fault, s.event});
    }
    std::vector<Order> orders;
    for (const std::string& first_kind : report_.kinds) {
      for (std::size_t i = 0; i < events_.size(); ++i) {
        if (!harmless.contains({first_kind, to_text(events_[i])})) continue;
        const harness::Scenario base = struck(scenario_, first_kind, events_[i]);
        for (const std::string& kind : report_.kinds) {
          for (std::size_t j = i + 1; j < events_.size(); ++j) {
            if (harmless.contains({kind, to_text(events_[j])}))
              plan(orders, base, kind, events_[j], first_kind, &events_[i]);
          }
        }
      }
    }
    strike_all(std::move(orders));
  }

  [[nodiscard]] std::vector<Order> in_rounds(std::vector<Order> orders) const {
    std::vector<std::string> kinds;
    for (const Order& one : orders) kinds.push_back(report_.strikes[one.strike].fault);
    std::vector<Order> all;
    for (const std::size_t i : order_in_rounds(kinds)) all.push_back(std::move(orders[i]));
    return all;
  }

  /// Strikes that did not happen are tried again: their event may have come too late once.
  void strike_all(std::vector<Order> orders) {
    for (int tries = 0; tries < (order_.traced ? 1 : tries_most); ++tries) {
      make(orders, order_.jobs);
      std::erase_if(orders, [&](const Order& one) { return report_.strikes[one.strike].struck > 0; });
    }
  }

  /// In batches, if it may be stopped: what each finds is made again before the next one. Each waits for its longest
  /// run.
  void make(const std::vector<Order>& orders, unsigned jobs) {
    const std::size_t batch = std::max<std::size_t>(1, order_.is_limited ? jobs * batches : orders.size());
    for (std::size_t from = 0; from < orders.size() && may_go_on(); from += batch) {
      const std::size_t count = std::min(batch, orders.size() - from);
      make(std::span(orders).subspan(from, count), jobs, [&](std::size_t i) {
        if (order_.progress) order_.progress(from + i + 1, orders.size());
      });
      if (order_.is_limited) repeat_new();
    }
  }

  void make(std::span<const Order> orders, unsigned jobs, const std::function<void(std::size_t)>& made) {
    real::side_by_side(
        orders.size(), jobs, [&](std::size_t i) { return sweep_run(order_, orders[i].scenario); },
        [&](std::size_t i, const std::string& text) {
          take(report_.strikes[orders[i].strike], text);
          made(i);
        },
        [this] { return may_go_on(); }, real::UnfinishedPolicy::ended);
  }

  void take(Strike& strike, const std::string& text) {
    ++report_.runs;
    if (order_.traced) {
      const std::string all = report_.digest + text.substr(2, text.find('\n') - 2);
      report_.digest = fmt::format("{:016x}", tracer::digest_of(all));
    }
    ++strike.runs;
    strike.struck += text[0] == 's';
    strike.late += text[1] == 'l';
    if (text[0] != 's' && !strike.fault.empty()) return;
    const std::vector<check::ComparedFinding> all = harness::report_from_json(text.substr(text.find('\n'))).properties;
    for (const check::ComparedFinding& c : all) {
      if (!counts(c.finding) || is_said_already(c.finding, all)) continue;
      const SweptViolation way{c.finding.property, c.finding.kind};
      ++strike.found[way];
      if (order_.found && said_.insert({way, strike.fault, strike.place}).second) order_.found(strike, way);
      strike.sentences.try_emplace(way, c.finding.what);
    }
  }

  /// What violated something, and was not made again yet, is, the first of each group, few at a time.
  void repeat_new() {
    std::vector<Order> orders;
    for (std::size_t i = 0; i < report_.strikes.size(); ++i) {
      const Strike& strike = report_.strikes[i];
      bool is_first = false;
      for (const auto& [way, times] : strike.found) {
        is_first |= repeated_.insert({way, strike.fault, strike.place, strike.second}).second;
      }
      if (!is_first || strike.fault.empty()) continue;
      harness::Scenario again = struck(scenario_, strike);
      if (order_.traced) again.program->known_key = {};  // as its file says it, which does not know the key
      for (int made = 1; made < (order_.traced ? 2 : order_.repeat); ++made) orders.push_back({again, i});
    }
    make(orders, std::min(undisturbed, order_.jobs), [](std::size_t) {});
  }

  const SweepOrder& order_;
  harness::Scenario scenario_;
  const Clock::time_point begin_ = Clock::now();
  std::vector<EventPlace> events_;
  std::set<std::tuple<SweptViolation, std::string, std::string>> said_;  // what has been found at which place
  std::set<std::tuple<SweptViolation, std::string, std::string, std::string>> repeated_;
  SweptReport report_;
};

}  // namespace

SweptReport sweep(const SweepOrder& order) { return Sweep(order).run(); }

}  // namespace lockproof::execution
