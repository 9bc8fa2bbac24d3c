// SPDX-License-Identifier: Apache-2.0
#include "search/zones/zone_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>
#include <utility>

#include "harness/check/properties.hpp"
#include "harness/stop.hpp"
#include "search/containers/interner.hpp"
#include "search/liveness/probe_client.hpp"
#include "search/zones/passed_list.hpp"
#include "search/zones/probe.hpp"
#include "search/zones/schedule.hpp"
#include "sim/run.hpp"

namespace lockproof::zones {
namespace {

using harness::Scenario;

/// Ways to a kind of violation that are tried until a run confirms one.
constexpr int tries_most = 200;
constexpr const char* progress = "deadlock-freedom";

class ZoneEngine final : public Sink {
 public:
  ZoneEngine(const Scenario& scenario, const harness::Bounds& bounds, const sim::Limits& limits, Successors& successors,
             PassedList& passed)
      : scenario_(scenario), bounds_(bounds), limits_(limits), successors_(successors), passed_(passed) {}

  sim::Exploration explore() {
    try {
      successors_.begin(*this);
      while (result_.stopped.empty() && expand_next()) {
      }
      result_.rounds = successors_.monitors().events().rounds();  // without those of probes
      if (result_.stopped.empty() && limits_.probe_clients && !scenario_.progress) send_probes();
    } catch (const UnsuitedCode& why) {
      result_.stopped = result_.unrepresentable = fmt::format("zones cannot follow {}", why.what());
    } catch (const harness::Cancellation&) {
      result_.stopped = "it was stopped";
    }
    if (!result_.stopped.empty()) result_.rounds = successors_.monitors().events().rounds();
    if (limits_.by_faults) sim::keep_fewest(result_);
    for (const auto& [sought, tries] : tries_) {
      const std::string &property = sought.kind.first, &kind = sought.kind.second;
      const bool is_confirmed = std::ranges::any_of(result_.broken, [&](const auto& known) {
        return known.first.first == property && (kind.empty() || known.first.second == kind);
      });
      if (is_confirmed) continue;
      result_.undecided.emplace(
          property, fmt::format("no run confirms the {} that was found, {}", kind.empty() ? "violation" : kind,
                                tries.are_long ? fmt::format("of {} events and more", longest_trail)
                                               : "at the edge of a server's millisecond"));
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
    if (parent_ != PassedList::nobody) ++result_.transitions;
    for (const auto& fault : {event.fault, event.late}) {
      if (fault) add_struck(*fault);
    }
    for (const Event::Fault& form : event.placed) add_struck(form);
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
    const int depth = parent_ == PassedList::nobody ? 0 : depth_ + 1;
    waiting_[{faults, depth}].push_back(*added);
    if (!is_quiescent) return;
    const auto [end, is_new] = ends_.try_emplace(server, QuiescentPlace{*added, faults, depth});
    const bool is_nearer = std::pair(faults, depth) < std::pair(end->second.faults, end->second.depth);
    if (!is_new && is_nearer) end->second = {*added, faults, depth};
  }

  void violate(const Violation& violation, const Place& place, const Event&) override {
    SoughtViolation sought{sim::ViolationKind(violation)};
    if (limits_.by_faults) sought.struck = place.struck;
    if (sought.kind.second.empty()) sought.server = place.server;
    violations_.push_back({std::move(sought), place.struck, violated_++});
  }

  void record(const Milestone& milestone) override {
    using harness::What;
    result_.acquired |= milestone.what == What::enter;
    result_.contended |= milestone.contends;
  }

 private:
  struct SoughtViolation {
    sim::ViolationKind kind;    // where it has none, the run that confirms it says which one it has
    std::vector<int> struck{};  // how often each entry of the budget has, if that is told apart
    Id server = 0;              // of a violation without a kind: what is on the server
    auto operator<=>(const SoughtViolation&) const = default;
  };
  struct Tries {
    int count = 0;
    bool is_confirmed = false;
    bool are_long = false;  // some were too long for numbers
  };
  struct QuiescentPlace {
    std::uint32_t number;
    int faults, depth;
  };
  struct ZoneViolation {
    SoughtViolation sought;
    std::vector<int> struck;  // as in its place
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
    const std::vector<ZoneViolation> found = std::exchange(violations_, {});
    for (const ZoneViolation& violation : found) confirm(violation);
    if (++expanded_ < 256 || expanded_ % 256 == 0) look_at_limits();  // a small limit holds exactly
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
  void confirm(const ZoneViolation& violation) {
    Tries& tries = tries_[violation.sought];
    if (tries.is_confirmed || ++tries.count > tries_most) return;
    const std::vector<std::uint32_t> places = passed_.path_to(parent_);
    tries.are_long |= places.size() >= longest_trail;
    if (places.size() >= longest_trail) return;
    const auto found = numbered(successors_, scenario_, bounds_, {places, violation.ordinal});
    if (!found) return;
    Scenario run = found->scenario;
    run.horizon = found->violated_at;
    for (std::size_t i = 0; i < run.clients.size(); ++i) {  // who asks freely has no acquire_timeout
      harness::Plan& plan = run.clients[i].plan;
      if (scenario_.clients[i].plan.asking != harness::AskPolicy::freely) continue;
      plan.attempts.reset();
      plan.acquire_timeout = harness::for_ever;
    }
    const auto kind = kind_in_run(run, violation.sought.kind);
    if (!kind) return;
    tries.is_confirmed = true;
    add(*kind, *found, violation.struck, static_cast<int>(places.size()));
    std::set<sim::ViolationKind> kinds;
    for (const auto& [known, one] : result_.broken) kinds.insert(known);
    if (limits_.enough && limits_.enough(kinds)) result_.stopped = "enough was found";
  }

  /// The kind that a run shows; nothing: it does not.
  static std::optional<sim::ViolationKind> kind_in_run(const Scenario& run, const sim::ViolationKind& sought) {
    for (const check::Finding& finding : check::judge(sim::run(run, run.seed), run)) {
      if (finding.verdict != check::Verdict::violated || finding.property != sought.first) continue;
      if (sought.second.empty() || finding.kind == sought.second) return sim::ViolationKind(sought.first, finding.kind);
    }
    return std::nullopt;
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
  void add(const sim::ViolationKind& kind, sim::ShortestViolation::ConcreteRun run, const std::vector<int>& struck,
           int depth) {
    const int faults = std::accumulate(struck.begin(), struck.end(), 0);
    const auto numbers = std::make_shared<const sim::ShortestViolation::ConcreteRun>(std::move(run));
    const auto keep = [&](sim::ShortestViolation& kept) {
      if (kept.numbered && std::pair(kept.faults, kept.depth) <= std::pair(faults, depth)) return;
      kept = {.choices = {}, .faults = faults, .depth = depth};
      kept.numbered = numbers;
    };
    keep(result_.broken[kind]);
    if (limits_.by_faults) keep(result_.by_faults[{kind, struck}]);
  }

  /// False: no run shows it.
  bool confirm_death(const QuiescentPlace& end) {
    constexpr Duration within = seconds(60);
    Duration lease{};
    for (const harness::ClientSpec& client : scenario_.clients) {
      lease = std::max(lease, Duration(client.plan.lease.value_or(scenario_.algorithm->lease)));
    }
    const Duration start_after = std::chrono::ceil<std::chrono::seconds>(2 * lease) + seconds(1);
    const std::vector<std::uint32_t> places = passed_.path_to(end.number);
    if (places.size() >= longest_trail) return false;
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
  PassedList& passed_;
  std::map<Id, QuiescentPlace> ends_;                                 // by what is left on the server, the first one
  std::map<std::pair<int, int>, std::deque<std::uint32_t>> waiting_;  // by faults and events
  std::map<SoughtViolation, Tries> tries_;
  std::vector<ZoneViolation> violations_;  // of the expansion
  std::uint32_t parent_ = PassedList::nobody, reached_ = 0, violated_ = 0;
  std::uint64_t expanded_ = 0;
  int faults_ = 0, depth_ = 0;
  sim::Exploration result_;
};

}  // namespace

Scenario in_any_phase(Scenario scenario) {
  for (std::size_t client = 0; client < scenario.clients.size(); ++client) {
    HostRun run(scenario, client);
    run.feed({}, nullptr, {});
    harness::Plan& plan = scenario.clients[client].plan;
    plan.start_latest = std::max(plan.start_latest.value_or(plan.start), plan.start + run.longest_retry());
  }
  return scenario;
}

sim::Exploration explore_zones(const Scenario& scenario, const harness::Bounds& bounds, const sim::Limits& limits) {
  Successors successors(scenario, bounds);
  PassedList passed;
  return explore_zones(scenario, bounds, limits, successors, passed);
}

sim::Exploration explore_zones(const Scenario& scenario, const harness::Bounds& bounds, const sim::Limits& limits,
                               Successors& successors, PassedList& passed) {
  return ZoneEngine(scenario, bounds, limits, successors, passed).explore();
}

}  // namespace lockproof::zones
