// SPDX-License-Identifier: Apache-2.0
// The part of Successors for what is judged: what happens, and what becomes of a lock that nobody asks for any more.
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "harness/check/promise.hpp"
#include "search/zones/successors.hpp"

namespace lockproof::zones {

/// Lets the monitors see what happens now.
void Successors::show(Place& place, Id events) {
  for (const Monitors::Violation& violation : monitors_.show(place.monitors, events)) {
    sink_->violate(violation, place, event_);
  }
  add_unseen(place, events);
}

void Successors::add_unseen(Place& place, Id events) {
  if (!place.timed_monitors.empty() && events != sim::EventLists::empty) place.unseen.push_back(events);
}

/// Shows what has happened to the monitors that count time, in each case of their questions. Then the event is over.
void Successors::judge_in_time(Place place, Position next, std::vector<bool> answers) {
  if (next.list == place.unseen.size()) next = {next.monitor + 1, 0, next.now};
  if (place.unseen.empty() || next.monitor == place.timed_monitors.size()) {
    place.unseen.clear();
    return settle(std::move(place));
  }
  TimedMonitor& monitor = place.timed_monitors[next.monitor];
  TimedWatcher& watcher = monitors_.timed(next.monitor);
  const TimedWatcher::Step& step = watcher.step(monitor.state, place.unseen[next.list], answers);
  if (step.question) return answer_in_time(std::move(place), next, std::move(answers), *step.question);
  std::vector<Row> names;
  for (const int name : step.names) {
    const bool is_new = name == TimedWatcher::begins;
    if (is_new && next.now == forgotten) next.now = place.zone.add(now_row, {}, {});
    names.push_back(is_new ? next.now : monitor.names[static_cast<std::size_t>(name)]);
  }
  monitor = {step.state, std::move(names)};
  if (step.is_violated) sink_->violate({watcher.property(), step.kind}, place, event_);
  ++next.list;
  judge_in_time(std::move(place), next, {});
}

/// How long ago an instant was does not matter once it is past the bound. So clients that poll for ever come back to
/// where they were.
void Successors::forget_past(Place& place) {
  for (std::size_t i = 0; i < place.timed_monitors.size(); ++i) {
    const std::int64_t past = monitors_.timed(i).bound().count() + 1;
    for (Row& row : place.timed_monitors[i].names) {
      if (place.zone.bound(row, now_row) <= -past) row = place.zone.add(now_row, Duration(-past), Duration(-past));
    }
  }
}

void Successors::answer_in_time(Place place, Position next, std::vector<bool> answers,
                                const TimedWatcher::Question& question) {
  const std::vector<Row>& names = place.timed_monitors[next.monitor].names;
  const auto point = [&](const NamedInstant& instant) {
    const bool is_now = instant.name == TimedWatcher::begins;
    return TimePoint{is_now ? now_row : names[static_cast<std::size_t>(instant.name)], instant.us};
  };
  const TimePoint one = point(question.one), other = point(question.other);
  const bool never = place.zone.bound(other.row, one.row) <= one.us - other.us;
  const bool always = place.zone.bound(one.row, other.row) < other.us - one.us;
  Place before = never || always ? Place() : place;
  if (!never && (always || before.zone.require_before(one, other))) {
    answers.push_back(true);
    judge_in_time(always ? std::move(place) : std::move(before), next, answers);
    answers.pop_back();
  }
  if (always || (!never && !place.zone.require_not_after(other, one))) return;
  answers.push_back(false);
  judge_in_time(std::move(place), next, std::move(answers));
}

void Successors::record(Place& place, std::size_t client, const ClientAutomaton::Step& step) {
  show(place, step.events);
  for (const harness::Event& event : monitors_.events().at(step.events)) {
    const harness::What what = event.what;
    bool contends = what == harness::What::busy;
    for (std::size_t i = 0; what == harness::What::attempt && i < place.clients.size(); ++i) {
      contends |= i != client && state_of(place, i).is_interested;
    }
    sink_->record({what, contends});
    if (what == harness::What::enter) judge(place, client);
  }
}

/// For each other client that is inside, whether both can be entitled, and whether one of them can have outlived its
/// grant.
void Successors::judge(const Place& place, std::size_t client) {
  for (std::size_t other = 0; other < place.clients.size(); ++other) {
    if (other == client || !state_of(place, other).is_inside) continue;
    const auto& deadline = state_of(place, other).deadline;
    const ReadClock clock =
        deadline ? state_of(place, other).names[static_cast<std::size_t>(deadline->name)] : ReadClock::mono;
    for (const auto& [one, now] : clock_now(place, other, clock)) judge_overlap(one, client, other, now);
  }
}

/// `of_other`: what the clock of the other one shows now.
void Successors::judge_overlap(const Place& place, std::size_t client, std::size_t other, const TimePoint& of_other) {
  const auto can_be = [&](Zone& zone, std::size_t of, const TimePoint& now, bool good) {
    const auto& deadline = state_of(place, of).deadline;
    if (!deadline) return good;
    const TimePoint end = point(place.clients[of], *deadline);
    return good ? require_earlier(zone, rate_of(place, of), now, end)
                : require_not_earlier(zone, rate_of(place, of), now, end);
  };
  for (const bool is_good : {true, false}) {
    for (const bool earlier_is_good : {true, false}) {
      Place witness = place;
      if (!can_be(witness.zone, client, {}, is_good) || !can_be(witness.zone, other, of_other, earlier_is_good))
        continue;
      sink_->violate({exclusion, check::kind_of_overlap(earlier_is_good && is_good)}, witness, event_);
    }
  }
}

bool Successors::is_quiescent(const Place& place) const {
  if (place.server_is_down || place.server_is_paused || place.server_stood != forgotten) return false;
  if (!place.cuts.empty()) return false;
  if (std::ranges::any_of(place.to_strike, [](Row instant) { return instant != forgotten; })) return false;
  for (std::size_t client = 0; client < place.clients.size(); ++client) {
    const ClientPlace& at = place.clients[client];
    const ClientAutomaton::State& state = state_of(place, client);
    const bool idles = state.is_over || (state.wants && !state.due && !state.is_inside);
    if (!idles || at.is_paused || !at.messages.empty()) return false;
  }
  return true;
}

void Successors::begin_probe(Place place, Sink& sink) {
  sink_ = &sink;
  event_ = {.client = probe_client};
  for (const auto& lease : server_->leases(place.server)) {
    const TimePoint end{place.leases[static_cast<std::size_t>(lease.name)], lease.after.count()};
    if (!require_not_earlier(place.zone, rate_of(place, scenario_.clients.size()), {}, end))
      throw std::logic_error("a lease never ends");
  }
  place.monitors.clear();
  place.timed_monitors.clear();
  place.triggers.clear();
  const ClientAutomaton::Step& step = automata_[probe_client]->begin();
  place.clients[probe_client] = {.state = step.state};
  place.clients[probe_client].names.assign(step.names.size(), place.zone.add(now_row, {}, {}));
  finish(std::move(place));
}

}  // namespace lockproof::zones
