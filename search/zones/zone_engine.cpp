// SPDX-License-Identifier: Apache-2.0
#include "search/zones/zone_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <numeric>
#include <utility>

#include "harness/check/properties.hpp"
#include "harness/scenario/names.hpp"
#include "harness/stop.hpp"
#include "search/containers/interner.hpp"
#include "search/liveness/probe_client.hpp"
#include "search/results/counterexample.hpp"
#include "search/zones/passed.hpp"
#include "search/zones/probe.hpp"
#include "search/zones/schedule.hpp"
#include "sim/run.hpp"

namespace lockproof::zones {
namespace {

using harness::Scenario;
using harness::Work;

/// Ways to a kind of violation that are tried until a run confirms one.
constexpr int tries_most = 200;
constexpr const char* progress = "deadlock-freedom";

class ZoneEngine final : public Sink {
 public:
  ZoneEngine(const Scenario& scenario, const harness::Bounds& bounds, const sim::Limits& limits, Successors& successors,
             Passed& passed)
      : scenario_(scenario), bounds_(bounds), limits_(limits), successors_(successors), passed_(passed) {}

  sim::Exploration explore() {
    try {
      successors_.begin(*this);
      while (result_.stopped.empty() && expand_next()) {
      }
      result_.rounds = successors_.monitors().events().rounds();  // without those of probes
      if (result_.stopped.empty() && !scenario_.progress) send_probes();
    } catch (const Unsuited& why) {
      result_.stopped = result_.unrepresentable = fmt::format("zones cannot follow {}", why.what());
    } catch (const harness::Stopped&) {
      result_.stopped = "it was stopped";
    }
    if (!result_.stopped.empty()) result_.rounds = successors_.monitors().events().rounds();
    if (limits_.by_faults) sim::keep_fewest(result_);
    for (const auto& [of, tries] : unconfirmed_) {
      const sim::ViolationKind& kind = of.first;
      if (result_.broken.contains(kind)) continue;
      result_.undecided.emplace(
          kind.first, fmt::format("no run confirms the {} that was found, at the edge of a server's millisecond",
                                  kind.second.empty() ? "violation" : kind.second));
    }
    result_.complete = result_.stopped.empty();
    if (!result_.complete) result_.reached = {faults_, depth_};
    result_.states = passed_.size();
    result_.bytes = passed_.bytes();
    result_.depth = std::max(result_.depth, depth_);
    const std::vector<std::string>& judged = successors_.monitors().judged();
    result_.judged.insert(judged.begin(), judged.end());
    result_.judged.emplace(exclusion);
    result_.every_timing = true;
    return std::move(result_);
  }

  void reach(Place place, std::string bytes, const Event& event) override {
    const std::uint32_t ordinal = reached_++;
    if (parent_ != Passed::nobody) ++result_.transitions;
    for (const auto& fault : {event.fault, event.late}) {
      if (fault) add_struck(*fault);
    }
    for (const Event::Fault& mark : event.marks) {  // one that is still laid on a call may end without an effect
      const ClientPlace& at = place.clients[event.client];
      const std::uint32_t code = successors_.code(mark);
      if (code != at.resend && code != at.retry) add_struck(mark);
    }
    const int faults = place.faults();
    const bool is_quiescent = successors_.is_quiescent(place);
    const Id server = place.server;
    const auto added = passed_.add(std::move(bytes), std::move(place.zone), {parent_, ordinal});
    if (!added) return;
    const int depth = parent_ == Passed::nobody ? 0 : depth_ + 1;
    waiting_[{faults, depth}].push_back(*added);
    if (!is_quiescent) return;
    const auto [end, is_new] = ends_.try_emplace(server, Quiescent{*added, faults, depth});
    const bool is_nearer = std::pair(faults, depth) < std::pair(end->second.faults, end->second.depth);
    if (!is_new && is_nearer) end->second = {*added, faults, depth};
  }

  void violate(const Violation& violation, const Place& place, const Event&) override {
    violations_.push_back({sim::ViolationKind(violation), place.struck, place.faults(), violated_++});
  }

  void record(const Milestone& milestone) override {
    using harness::What;
    result_.acquired |= milestone.what == What::enter;
    result_.contended |= milestone.contends;
  }

 private:
  /// A kind of violation, and how often each entry of the budget has struck if that is told apart.
  using KindByFaults = std::pair<sim::ViolationKind, std::vector<int>>;
  struct Quiescent {
    std::uint32_t number;
    int faults, depth;
  };
  struct Found {
    sim::ViolationKind kind;
    std::vector<int> struck;  // as in its place
    int faults;
    std::uint32_t ordinal;
  };

  /// False: there is nothing more. With few faults first, then with few events.
  bool expand_next() {
    while (!waiting_.empty()) {
      const auto first = waiting_.begin();
      if (first->second.empty()) {
        waiting_.erase(first);
        continue;
      }
      std::tie(faults_, depth_) = first->first;
      const std::uint32_t next = first->second.front();
      first->second.pop_front();
      if (!passed_.is_alive(next)) continue;
      expand(next);
      return true;
    }
    return false;
  }

  void expand(std::uint32_t next) {
    harness::look_at(limits_.stop);
    parent_ = next;
    reached_ = violated_ = 0;
    violations_.clear();
    successors_.expand(passed_.place(next), *this);
    if (reached_ == 0) ++result_.terminal;
    const std::vector<Found> found = std::exchange(violations_, {});
    for (const Found& violation : found) confirm(violation);
    if (++expanded_ % 256 == 0) look_at_limits();
  }

  [[nodiscard]] std::uint64_t frontier() const {
    std::uint64_t places = 0;
    for (const auto& [when, waiting] : waiting_) places += waiting.size();
    return places;
  }

  void look_at_limits() {
    if (limits_.go_on && !limits_.go_on({.states = passed_.size(),
                                         .transitions = result_.transitions,
                                         .frontier = frontier(),
                                         .bytes = passed_.bytes(),
                                         .faults = faults_,
                                         .depth = depth_,
                                         .runs = successors_.runs()}))
      result_.stopped = "it was stopped";
    if (passed_.bytes() > limits_.bytes) result_.stopped = "the limit of memory was reached";
  }

  void add_struck(const Event::Fault& fault) {
    const std::size_t entries = bounds_.budget.size();
    if (fault.first < entries) {
      result_.of_budget.insert({fault.first, fault.second});
    } else {
      result_.struck.insert(static_cast<int>(fault.first - entries) + 1);
    }
  }

  /// Runs a schedule of it. The first one with each kind, or with each set of faults if these are asked for, has the
  /// fewest faults.
  void confirm(const Found& violation) {
    const KindByFaults of{violation.kind, limits_.by_faults ? violation.struck : std::vector<int>()};
    int& tries = unconfirmed_[of];
    const bool is_known = limits_.by_faults ? result_.by_faults.contains(of) : result_.broken.contains(violation.kind);
    if (is_known || ++tries > tries_most) return;
    const std::vector<std::uint32_t> places = passed_.path_to(parent_);
    const auto found = numbered(successors_, scenario_, bounds_, {places, violation.ordinal});
    if (!found) return;
    Scenario run = found->scenario;
    run.horizon = found->violated_at;
    for (harness::ClientSpec& client : run.clients) {  // whoever asks freely is patient
      client.plan.attempts.reset();
      client.plan.acquire_timeout = harness::for_ever;
    }
    if (!sim::as_counterexample(std::move(run), violation.kind)) return;
    add(violation.kind, *found, violation.struck, static_cast<int>(places.size()));
    std::set<sim::ViolationKind> kinds;
    for (const auto& [known, one] : result_.broken) kinds.insert(known);
    if (limits_.enough && limits_.enough(kinds)) result_.stopped = "enough was found";
  }

  /// Whoever comes to a quiescent place finds what is left on the server, and nothing else.
  void send_probes() {
    bool decided = true;
    for (const auto& [server, end] : ends_) {
      harness::look_at(limits_.stop);
      const auto fate = Probe(successors_).gets_it(passed_.place(end.number));
      decided &= fate.has_value();
      if (fate == false) decided &= confirm_death(end);
    }
    if (decided) {
      result_.judged.emplace(progress);
    } else {
      result_.undecided.emplace(progress, "no run confirms that nobody can get the lock any more");
    }
  }

  /// Keeps it, unless one with fewer faults and events is known.
  void add(const sim::ViolationKind& kind, sim::Broken::Numbered run, const std::vector<int>& struck, int depth) {
    const int faults = std::accumulate(struck.begin(), struck.end(), 0);
    const auto numbers = std::make_shared<const sim::Broken::Numbered>(std::move(run));
    const auto keep = [&](sim::Broken& kept) {
      if (kept.numbered && std::pair(kept.faults, kept.depth) <= std::pair(faults, depth)) return;
      kept = {.choices = {}, .faults = faults, .depth = depth};
      kept.numbered = numbers;
    };
    keep(result_.broken[kind]);
    if (limits_.by_faults) keep(result_.by_faults[{kind, struck}]);
  }

  /// False: no run shows it.
  bool confirm_death(const Quiescent& end) {
    constexpr Duration within = seconds(60);
    Duration lease{};
    for (const harness::ClientSpec& client : scenario_.clients) {
      lease = std::max(lease, Duration(client.plan.lease.value_or(scenario_.algorithm->lease)));
    }
    const Duration start_after = std::chrono::ceil<std::chrono::seconds>(2 * lease) + seconds(1);
    const std::vector<std::uint32_t> places = passed_.path_to(end.number);
    auto found = numbered(successors_, scenario_, bounds_, {places, std::nullopt, start_after + 2 * within});
    if (!found) return false;
    const Duration start = std::chrono::ceil<std::chrono::seconds>(found->violated_at) + start_after;
    found->scenario = sim::with_probe_client(std::move(found->scenario), {.start = start, .within = within});
    found->violated_at = start + 2 * within;
    Scenario run = found->scenario;
    run.horizon = found->violated_at;
    const check::Finding finding = check::deadlock_freedom(sim::run(run, run.seed), run);
    if (finding.verdict != check::Verdict::violated) return false;
    add({progress, finding.kind}, std::move(*found), passed_.place(end.number).struck, end.depth);
    return true;
  }

  const Scenario& scenario_;
  const harness::Bounds& bounds_;
  const sim::Limits& limits_;
  Successors& successors_;
  Passed& passed_;
  std::map<Id, Quiescent> ends_;                                      // by what is left on the server, the first one
  std::map<std::pair<int, int>, std::deque<std::uint32_t>> waiting_;  // by faults and events
  std::map<KindByFaults, int> unconfirmed_;                           // how often each was tried
  std::vector<Found> violations_;                                     // of the expansion
  std::uint32_t parent_ = Passed::nobody, reached_ = 0, violated_ = 0;
  std::uint64_t expanded_ = 0;
  int faults_ = 0, depth_ = 0;
  sim::Exploration result_;
};

/// Not told to do something: that is done to locks that are programs.
bool is_plain(const Work& work) { return work.kind != Work::Kind::touch && work.kind != Work::Kind::extend; }

/// What the clients do that these zones do not know.
std::string why_clients(const Scenario& scenario) {
  constexpr std::size_t clients_most = 8;
  if (scenario.clients.size() > clients_most) return "more than eight clients";
  for (const harness::ClientSpec& client : scenario.clients) {
    const harness::Plan& plan = client.plan;
    if (plan.asking != harness::Asking::freely) return "clients that ask as written";
    if (plan.rounds == harness::rounds_for_ever) return "rounds without an end";
    if (plan.stop_on != harness::StopOn::nothing) return "a client that leaves before its work is done";
    if (!std::ranges::all_of(plan.work, is_plain)) return "work that a program is told to do";
    if (plan.period || plan.claims) return "work in periods";
  }
  return "";
}

/// `is_placed`: by the scenario, and not of a budget.
std::string why_fault(const harness::Fault& fault, bool is_placed) {
  using harness::FaultKind;
  constexpr std::array known{
      FaultKind::pause,      FaultKind::suspend,          FaultKind::crash, FaultKind::kill_task, FaultKind::half_open,
      FaultKind::delay,      FaultKind::resend,           FaultKind::retry, FaultKind::partition, FaultKind::clock_jump,
      FaultKind::clock_rate, FaultKind::break_connection, FaultKind::evict, FaultKind::flush,     FaultKind::restart,
      FaultKind::power_cut,  FaultKind::script_flush};
  if (std::ranges::find(known, fault.kind) == known.end())
    return fmt::format("a fault of kind {}", harness::name(fault.kind));
  if (is_placed && !fault.at) return "a fault that the scenario places at an event";
  if (fault.until) return "a fault that ends at an event";
  if (fault.kind != FaultKind::clock_rate) return "";
  constexpr std::int64_t stands = -1'000'000'000;
  if (fault.rate_ppb <= stands) return "clocks that stand still";
  const bool from_start = fault.lasts == Duration{} && fault.at.value_or(Duration{}) == Duration{};
  return from_start ? "" : "a rate of clocks that changes in the middle of a run";
}

/// So often each host can be suspended in one run: twice at a time is not followed.
bool overlaps_suspensions(const Scenario& scenario, const harness::Bounds& bounds) {
  for (const harness::ClientSpec& client : scenario.clients) {
    const auto strikes = [&](const harness::Fault& fault) {
      return fault.kind == harness::FaultKind::suspend && fault.target == client.name;
    };
    int budgeted = 0;
    for (const harness::BudgetedFault& entry : bounds.budget) {
      if (std::ranges::any_of(entry.forms, strikes)) budgeted += entry.most;
    }
    const auto placed = std::ranges::count_if(scenario.faults, strikes);
    if (placed + std::min(budgeted, bounds.max_faults) > 1) return true;
  }
  return false;
}

std::string why_faults(const Scenario& scenario, const harness::Bounds& bounds) {
  using harness::FaultKind;
  if (!scenario.steps.empty()) return "a schedule with steps";
  if (overlaps_suspensions(scenario, bounds)) return "several suspensions of one host";
  const auto has = [&](FaultKind kind) {
    return std::ranges::find(bounds.budget, kind, &harness::BudgetedFault::kind) != bounds.budget.end() ||
           std::ranges::find(scenario.faults, kind, &harness::Fault::kind) != scenario.faults.end();
  };
  if (has(FaultKind::power_cut)) {
    const std::string why = sim::make_symbolic_server(scenario)->why_unknown_after(true, has(FaultKind::restart));
    if (!why.empty()) return why;
  }
  for (const harness::Fault& fault : scenario.faults) {
    if (const std::string why = why_fault(fault, true); !why.empty()) return why;
  }
  for (const harness::BudgetedFault& entry : bounds.budget) {
    if (entry.spot) return "a part of a budget";
    for (const harness::Fault& form : entry.forms) {
      if (const std::string why = why_fault(form, false); !why.empty()) return why;
    }
  }
  return "";
}

/// Names have room for so much; nothing takes as long.
constexpr Duration longest = std::chrono::hours(24);

bool is_short(const harness::Fault& fault) {
  return fault.lasts < longest && std::chrono::abs(fault.by) < longest && fault.at.value_or(Duration{}) < longest;
}

bool is_short(const Scenario& scenario, const harness::Bounds& bounds) {
  constexpr Duration most = longest;
  bool all = scenario.network.latency.most < most;
  for (const harness::ClientSpec& client : scenario.clients) {
    const harness::Plan& plan = client.plan;
    all &= plan.start < most && plan.start_latest.value_or(Duration{}) < most && plan.think_time < most &&
           plan.lease.value_or(scenario.algorithm->lease) < most;
    for (const Work& work : plan.work) all &= work.lasts < most;
  }
  for (const auto& [name, value] : scenario.parameters) all &= value < most;
  for (const harness::BudgetedFault& entry : bounds.budget) {
    for (const harness::Fault& form : entry.forms) all &= is_short(form);
  }
  for (const harness::Fault& fault : scenario.faults) all &= is_short(fault);
  return all;
}

}  // namespace

std::string why_unsuited(const Scenario& scenario, const harness::Bounds& bounds) {
  if (scenario.program) return "a lock that is a program";
  if (!sim::make_symbolic_server(scenario)) return "the locks of this service";
  if (scenario.servers.size() != 1 || scenario.ensemble || !scenario.sentinels.empty()) return "more than one server";
  if (scenario.marker != harness::Marker::none) return "a resource that gives out periods";
  if (const std::string why = why_clients(scenario); !why.empty()) return why;
  if (const std::string why = why_faults(scenario, bounds); !why.empty()) return why;
  return is_short(scenario, bounds) ? "" : "durations of more than a day";
}

sim::Exploration explore_zones(const Scenario& scenario, const harness::Bounds& bounds, const sim::Limits& limits) {
  Successors successors(scenario, bounds);
  Passed passed;
  return explore_zones(scenario, bounds, limits, successors, passed);
}

sim::Exploration explore_zones(const Scenario& scenario, const harness::Bounds& bounds, const sim::Limits& limits,
                               Successors& successors, Passed& passed) {
  return ZoneEngine(scenario, bounds, limits, successors, passed).explore();
}

}  // namespace lockproof::zones
