// SPDX-License-Identifier: Apache-2.0
#include "search/search.hpp"
#include "search/zoned_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/check/lacks.hpp"
#include "harness/check/properties.hpp"
#include "harness/input_error.hpp"
#include "harness/report/text/assumptions.hpp"
#include "search/core/contention.hpp"
#include "search/drawn_runs.hpp"
#include "search/engines/either_engine.hpp"
#include "search/late_starts.hpp"
#include "search/part_searches.hpp"
#include "search/phase_searches.hpp"
#include "search/reexecution/reexecution_engine.hpp"
#include "search/state_space/stateful_engine.hpp"
#include "search/verdicts.hpp"
#include "search/zones/zone_engine.hpp"

namespace lockproof::search {
namespace {

/// A state of a program costs some ten times as much.
std::uint64_t few_states_of(const harness::Scenario& scenario) { return scenario.program ? 500 : few_states; }

End end_of(const Question& question, const sim::Exploration& found) {
  if (found.complete) return End::complete;
  if (shows_enough(found, question.enough)) return End::enough;
  if (!found.unrepresentable.empty()) return End::unrepresentable;
  if (found.stopped == sim::at_the_horizon) return End::horizon;
  return found.stopped == sim::at_a_difference ? End::difference : End::limit;
}

/// Adds kinds that an incomplete search has not shown.
void add_missing(const sim::Exploration& more, sim::Exploration& into) {
  for (const auto& [way, violation] : more.broken) into.broken.emplace(way, violation);
  for (const auto& [with, broken] : more.by_faults) {
    if (!sim::are_enough(into, with.first, with.second)) into.by_faults.insert_or_assign(with, broken);
  }
  sim::keep_fewest(into);
}

class Inquiry {
 public:
  Inquiry(const Question& question, const Limits& limits)
      : question_(question), limits_(limits), engine_(engine_of(question)) {
    answer_.scenario = sim::bounded(question.scenario, question.bounds, question.alone);
    answer_.bounds = question.bounds;
    const bool causes = question.goal == Goal::causes;
    const bool in_zones = engine_ == Engine::zones;
    const bool by_spot = causes && !in_zones;
    answer_.parted = by_spot || question.tells_unpreventable ? sim::parted(answer_.scenario, question.bounds, by_spot)
                                                             : sim::undivided(question.bounds);
  }

  Answer ask() {
    std::optional<sim::Exploration> timed = search_bounds_in_time();
    if (timed && shows_enough(*timed, question_.enough)) {
      answer_.found = sim::without_free_asks(std::move(*timed));
    } else if (timed) {
      const harness::Scenario whole = answer_.scenario;
      answer_.scenario = sim::untimed(whole);
      apart_ = true;
      search_all();
      answer_.scenario = whole;
      sim::add_bounds_in_time(answer_.found, std::move(*timed), whole);
    } else {
      search_all();
    }
    answer_.end = end_of(question_, answer_.found);
    answer_.parted.number_as_whole(answer_.found);
    for (auto& [kind, violation] : of_phases_) {
      if (sim::is_timed(answer_.scenario, kind.first)) answer_.found.broken.try_emplace(kind, std::move(violation));
    }
    leave_open_in_time();
    if (answer_.parted.unpreventable) sim::prefer_preventable(answer_.scenario, answer_.parted, answer_.found);
    return std::move(answer_);
  }

 private:
  /// Bounds in time, for every phase of polling. Nothing: zones do not cover that, or not all with few states; then
  /// what they show is kept, so that a larger budget loses no violation.
  std::optional<sim::Exploration> search_bounds_in_time() {
    const harness::Scenario& scenario = answer_.scenario;
    const bool asks_freely = scenario.contention != harness::Contention::as_written;
    if (engine_ != Engine::either || !asks_freely || !sim::states_bound_in_time(scenario)) return std::nullopt;
    if (question_.graph || question_.resume || !question_.reduces) return std::nullopt;
    harness::Scenario polling = sim::as_written(scenario);
    const harness::Bounds& bounds = answer_.parted.bounds;
    harness::Bounds unharmed = bounds;
    unharmed.budget.clear();
    if (!zones::why_unsuited(polling, unharmed).empty()) return std::nullopt;
    polling = zones::in_any_phase(std::move(polling));
    PhaseSearches searches(polling, bounds, options(), limits_, std::min(few_states, limits_.work));
    std::optional<sim::Exploration> found = searches.run();
    stopped_ |= searches.stopped();
    if (found) return found;
    of_phases_ = std::move(searches.shown());
    open_ = searches.open();
    unconfirmed_ = searches.unconfirmed();
    return std::nullopt;
  }

  /// Bounds in time that nothing breaks are not decided where zones did not search a part of the budget to its end: a
  /// smaller budget may show more.
  void leave_open_in_time() {
    if (open_.empty() && unconfirmed_.empty()) return;
    for (const check::Property& property : check::properties_of(answer_.scenario)) {
      if (!sim::is_bounded_in_time(property, answer_.scenario)) continue;
      const auto found = unconfirmed_.find(std::string(property.name));
      const std::string& why = found != unconfirmed_.end() ? found->second : open_;
      if (why.empty()) continue;
      answer_.found.undecided.emplace(
          property.name,
          fmt::format("in the phase of polling that is written there is no violation, but in other phases {}", why));
    }
  }

  void search_all() {
    const bool as_one = !question_.in_parts || question_.graph || question_.resume || engine_ != Engine::either;
    if (as_one) {
      answer_.found = search_whole(limits_.work);
    } else {
      search_by_steps();
    }
  }

  /// All timings, where clients ask as written in every phase.
  sim::Exploration search_zones(sim::Limits limits) {
    const bool asks_freely = answer_.scenario.contention != harness::Contention::as_written;
    limits.written_first = false;
    const harness::Bounds& bounds = answer_.parted.bounds;
    const auto search = [&](const harness::Scenario& scenario, const sim::Limits& own) {
      const bool varies = asks_freely && scenario.contention == harness::Contention::as_written;
      return zones::explore_zones(varies ? zones::in_any_phase(scenario) : scenario, bounds, own);
    };
    sim::Exploration found = sim::explore_both_askings(answer_.scenario, limits, search);
    if (question_.engine != Engine::zones && !found.unrepresentable.empty()) sim::require_searchable(answer_.scenario);
    return found;
  }

  /// Few states, then drawn runs; then the parts, with one fault before two.
  void search_by_steps() {
    std::vector<sim::Exploration> before;
    if (question_.small_first) {
      const std::uint64_t few = few_states_of(answer_.scenario);
      answer_.found = search_whole(std::min(few, limits_.work));
      if (has_ended(answer_.found, few)) return;
      before.push_back(std::move(answer_.found));
    }
    if (!question_.draws_last) draw(before);
    int known = 0;  // schedules with fewer faults are known
    for (int faults = 1; faults < question_.bounds.max_faults && !is_over(before); ++faults) {
      if (!search_parts(faults)) break;
      if (answer_.found.complete) known = faults + 1;
      before.push_back(std::move(answer_.found));
    }
    answer_.found = {};
    answer_.parts.clear();
    if (!is_over(before) && !search_parts(question_.bounds.max_faults)) answer_.found = search_whole(limits_.work);
    if (answer_.found.complete) return;
    if (question_.draws_last && !is_over(before) && !shows_enough(answer_.found, question_.enough)) draw(before);
    if (!before.empty() && answer_.found.states < before.front().states)
      std::swap(answer_.found, before.front());  // it hardly began
    for (const sim::Exploration& more : before) add_missing(more, answer_.found);
    const auto reached = answer_.found.reached;
    if (known > 0 && (!reached || reached->faults < known)) answer_.found.reached = {known, 0};
  }

  void draw(std::vector<sim::Exploration>& into) {
    const DrawnRuns drawn = is_drawn() ? draw_runs(question_, answer_.scenario, limits_) : DrawnRuns();
    answer_.drawn = drawn.runs;
    into.emplace_back().broken = drawn.violations;
  }

  /// A run of very many clients takes longer than a limit in time may wait.
  [[nodiscard]] bool is_drawn() const {
    constexpr std::size_t clients_most = 8;
    return answer_.scenario.clients.size() <= clients_most;
  }

  /// With so many faults at most. False: there are no parts.
  bool search_parts(int faults) {
    harness::Bounds bounds = answer_.parted.bounds;
    bounds.max_faults = faults;
    const std::vector<sim::Part> parts = sim::parts_of(answer_.scenario, bounds);
    if (parts.empty()) return false;
    PartSearches searches(answer_.scenario, parts, options(), limits_);
    answer_.parts.clear();
    answer_.found = searches.run(bounds, answer_.parts);
    stopped_ |= searches.stopped();
    if (answer_.why_reexecution.empty()) answer_.why_reexecution = searches.why_reexecution();
    return true;
  }

  /// Nothing more is to be searched: it is enough, or a limit was met.
  [[nodiscard]] bool is_over(const std::vector<sim::Exploration>& before) const {
    return stopped_ || limits_.stop.stop_requested() || std::ranges::any_of(before, [&](const sim::Exploration& found) {
             return shows_enough(found, question_.enough);
           });
  }

  /// Whether a search with a limit of states has nothing to go on with.
  [[nodiscard]] bool has_ended(const sim::Exploration& found, std::uint64_t states) const {
    return found.complete || found.reached_ends() || limits_.stop.stop_requested() || stopped_ ||
           limits_.work <= states || shows_enough(found, question_.enough);
  }

  [[nodiscard]] sim::Limits options() const {
    sim::Limits options;
    options.workers = std::max(1U, limits_.workers);
    options.paths = limits_.paths;
    options.bytes = limits_.bytes;
    options.reduce = question_.reduces;
    options.exchange = question_.reduces && question_.exchanges;
    options.by_faults = question_.goal != Goal::kinds || answer_.parted.unpreventable;
    options.written_first = question_.written_first;
    options.probe_clients = question_.probes && !(apart_ && question_.scenario.progress);
    options.estimate = question_.estimates;
    options.enough = question_.enough;
    options.stop = limits_.stop;
    options.stop_telling = limits_.stop_telling;
    options.graph = question_.graph;
    options.resume = question_.resume;
    return options;
  }

  sim::Exploration search_whole(std::uint64_t work) {
    answer_.why_reexecution.clear();
    sim::Limits limited = options();
    limited.paths = std::min(limited.paths, paths_of(work));
    bool reexecutes = question_.engine == Engine::reexecution, over = false;
    limited.go_on = [&](const sim::Progress& progress) {
      if (limits_.go_on && !limits_.go_on(progress)) stopped_ = true;
      over = has_worked(progress, work, reexecutes);
      return !stopped_ && !over;
    };
    if (question_.save) {
      limited.save = [&](const sim::WriteCheckpoint& write) {
        if (!over || work == limits_.work) question_.save(write);
      };
    }
    const harness::Bounds& bounds = answer_.parted.bounds;
    if (engine_ == Engine::zones) return search_zones(std::move(limited));
    if (question_.engine == Engine::stateful) return sim::explore_stateful(answer_.scenario, bounds, limited);
    if (question_.engine == Engine::reexecution) return sim::explore_by_reexecution(answer_.scenario, bounds, limited);
    return sim::explore_with_either(answer_.scenario, bounds, limited,
                                    [&](const std::string& why) {
                                      reexecutes = true;
                                      answer_.why_reexecution = why;
                                      if (question_.changes_engine) question_.changes_engine(why);
                                    })
        .found;
  }

  const Question& question_;
  const Limits& limits_;
  const Engine engine_;
  Answer answer_;
  bool stopped_ = false;                                            // by Limits::go_on
  bool apart_ = false;                                              // bounds in time were searched apart
  std::map<sim::ViolationKind, sim::ShortestViolation> of_phases_;  // by zones, where these do not answer
  std::string open_;                                                // … and what they did not search to its end
  std::map<std::string, std::string> unconfirmed_;                  // see PhaseSearches
};

/// What a program does that was answered as no real server answers is neither a violation nor none.
void take_back(sim::Exploration& found, const std::string& lacks) {
  found.broken.clear();
  found.by_faults.clear();
  found.timed.reset();
  found.complete = false;
  found.stopped = lacks;
}

/// Adds the violations of zones that a run confirms.
void add_confirmed(Answer zoned, sim::Exploration& into) {
  std::erase_if(zoned.found.broken, [&](const auto& one) { return !zoned.counterexamples.contains(one.first); });
  zoned.found.by_faults.clear();
  add_missing(zoned.found, into);
}

/// Adds what schedules show in which clients start late.
void search_late_starts(const Question& question, Limits limits, Answer& into) {
  constexpr std::uint64_t states_most = 200'000;
  const bool is_large = into.found.states > states_most;  // then of one fault at most, so that none is lost
  limits.work = std::min(limits.work, states_most);
  const bool is_placed = std::ranges::find(into.scenario.faults, harness::FaultKind::clock_rate,
                                           &harness::Fault::kind) != into.scenario.faults.end();
  for (const Duration start : late_starts(into.scenario, question.bounds)) {
    Question late = question;
    if (is_large) late.bounds.max_faults = std::min(late.bounds.max_faults, is_placed ? 0 : 1);
    start_late(late.scenario, late.bounds, start);
    Answer found = Inquiry(late, limits).ask();
    if (found.found.complete && !is_large) into.found.late_starts.push_back(start);
    enact_all(found, late, limits.stop_telling);
    for (const auto& [kind, schedule] : found.counterexamples) {
      if (found.found.timed && found.found.timed->judged.contains(kind.first)) continue;  // as written is not late
      const sim::ShortestViolation& late_one = found.found.broken.at(kind);
      const auto [known, is_new] = into.found.broken.try_emplace(kind);
      if (!is_new && known->second.faults <= late_one.faults) continue;
      known->second = {.choices = {}, .faults = late_one.faults, .depth = late_one.depth};
      known->second.numbered = std::make_shared<const sim::ShortestViolation::ConcreteRun>(
          sim::ShortestViolation::ConcreteRun{schedule.scenario, schedule.history.events.back().at});
    }
  }
}

}  // namespace

std::optional<sim::Counterexample> Answer::counterexample(const sim::ViolationKind& way,
                                                          const sim::ShortestViolation& broken, Duration horizon,
                                                          const std::stop_token& stop) const {
  return sim::counterexample(scenario, parted.bounds, way.first, way.second, broken, horizon, stop);
}

Engine engine_of(const Question& question) {
  if (question.engine != Engine::either) return question.engine;
  const harness::Scenario scenario = sim::bounded(question.scenario, question.bounds, question.alone);
  if (!sim::has_open_start(scenario)) return Engine::either;
  if (const std::string lack = why_no_zones(question); !lack.empty()) sim::require_start(scenario, lack);
  return Engine::zones;
}

Answer answer(const Question& question, const Limits& limits) {
  if (question.engine == Engine::zones) {
    const std::string refused = why_no_zones(question);
    if (!refused.empty())
      throw harness::InputError(question.scenario.file, 0, "the zone engine cannot search " + refused);
  }
  const harness::Scenario bounded = sim::bounded(question.scenario, question.bounds, question.alone);
  const bool drifts = question.drifts && harness::drift_apart(bounded, question.bounds);
  const bool goes_on = question.save && !question.in_parts;  // a checkpoint was asked for, and zones have none
  const bool names_points = question.engine != Engine::either || !question.reduces || goes_on ||
                            bounded.contention != harness::Contention::adversarial;
  std::optional<AnswerByZones> zoned;
  // Bounds in time are zones' anyway, apart from the rest: together they need many more.
  const bool asks_zones = !names_points && !sim::states_bound_in_time(bounded);
  if (asks_zones) zoned = answer_by_zones(question, limits);
  if (zoned && (zoned->is_stopped || decides_all(zoned->answer))) return std::move(zoned->answer);
  if (asks_zones && !zoned) {  // so that a fault more loses no violation
    if (const std::optional<Question> part = known_to_zones(question)) zoned = answer_by_zones(*part, limits);
  }
  Answer found = Inquiry(question, limits).ask();
  if (zoned) add_confirmed(std::move(zoned->answer), found.found);
  if (drifts && found.end == End::complete) {
    if (!zoned) {
      zoned = answer_by_zones(question, limits);
      if (zoned && decides_all(zoned->answer)) return std::move(zoned->answer);
    }
    search_late_starts(question, limits, found);
  }
  if (const std::string lacks = check::lacks_of(question.scenario); !lacks.empty()) take_back(found.found, lacks);
  return found;
}

std::string why_no_zones(const Question& question) {
  if (question.goal != Goal::kinds) return "every least set of faults (--find causes)";
  if (question.graph) return "for a graph of states";
  if (question.resume) return "from a checkpoint";
  return zones::why_unsuited(sim::bounded(question.scenario, question.bounds, question.alone), question.bounds);
}

std::string why_reexecution(const Question& question) {
  return sim::stateful_engine_refuses(sim::bounded(question.scenario, question.bounds, question.alone),
                                      question.bounds);
}

}  // namespace lockproof::search
