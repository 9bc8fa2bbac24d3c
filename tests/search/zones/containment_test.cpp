// SPDX-License-Identifier: Apache-2.0
// Random concrete runs of the simulator stay inside the zones: each is followed event by event, at its own instants,
// and after each event the place and the time that has been reached must be among those of the search. This is what
// finds a branch that is missing.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "search/core/contention.hpp"
#include "search/zones/passed.hpp"
#include "search/zones/successors.hpp"
#include "sim/kernel/choosers.hpp"
#include "sim/world/world.hpp"
#include "tests/search/zones/fixture.hpp"

namespace lockproof::zones {
namespace {

using harness::EventName;

/// What a run did, in the words of a search.
struct Done {
  Event event;
  Duration at{};
};

/// Names the events of a run as it happens.
class Watcher final : public sim::Chooser {
 public:
  explicit Watcher(std::uint64_t seed) : random_(seed) {}
  std::size_t first_of(std::size_t count, const sim::NameOf& name) override {
    const std::size_t chosen = random_.first_of(count, name);
    last = name(chosen);
    return chosen;
  }
  Duration duration(const harness::Window& window, Duration grid, const sim::NameOf& name) override {
    return random_.duration(window, grid, name);
  }
  std::optional<EventName> last{};

 private:
  sim::RandomChooser random_;
};

/// The scenario with random pauses, by time or before something that a client does, and random instants at which
/// clients ask.
harness::Scenario drawn(const harness::Scenario& searched, const harness::Bounds& bounds, sim::RandomBits& bits) {
  harness::Scenario run = sim::as_written(searched);
  run.horizon = seconds(60);
  const auto instant = [&](Duration most) {
    const Duration any(static_cast<std::int64_t>(bits.below(static_cast<std::uint64_t>(most.count()))));
    return bits.below(2) == 0 ? any : std::chrono::floor<milliseconds>(any);  // ties are met, too
  };
  for (std::size_t client = 0; client < run.clients.size(); ++client) {
    std::vector<Duration> asks(40);
    for (Duration& ask : asks) ask = instant(seconds(12));
    std::ranges::sort(asks);
    int number = 0;
    for (int round = 1; round <= run.clients[client].plan.rounds; ++round, number = 0) {
      for (const Duration ask : asks) {
        EventName name{.kind = EventName::Kind::ask, .actor = run.clients[client].name, .peer = {}, .verb = {}};
        name.occurrence = ++number;
        name.round = round;
        run.steps.push_back({.event = std::move(name), .takes = std::nullopt, .at = ask});
      }
    }
  }
  const auto faults = static_cast<int>(bits.below(static_cast<std::uint64_t>(bounds.max_faults) + 1));
  for (int i = 0; i < faults; ++i) {
    harness::Fault fault = bounds.budget.front().forms[bits.below(bounds.budget.front().forms.size())];
    const Duration least = fault.least.value_or(fault.lasts);
    if (bits.below(2) == 0) fault.lasts = least + instant(fault.lasts - least + Duration(1));
    fault.least.reset();
    if (bits.below(3) > 0) {
      fault.at = instant(seconds(9));
    } else {
      static const std::vector<std::string> acts{"SET", "READ", "WRITE", "enter", "exit", "compare-and-delete"};
      harness::When when;
      when.actor = fault.target;
      when.verb = acts[bits.below(acts.size())];
      fault.when = when;
    }
    run.faults.push_back(std::move(fault));
  }
  return run;
}

/// The events of a run that are events of a search. A message that reaches a paused client is heard when that wakes.
class Translation {
 public:
  explicit Translation(const harness::Scenario& run) : run_(run), pauses_(run.clients.size(), 0) {}

  std::vector<Done> events() {
    Watcher watcher(run_.seed);
    sim::World world(run_, watcher, {.token_name = {}});
    std::size_t seen = 0;
    std::vector<Done> all;
    while (world.step()) {
      std::optional<Done> done;
      if (watcher.last) done = named(*std::exchange(watcher.last, std::nullopt), world);
      for (; seen < world.history().events.size(); ++seen) {
        const harness::Event& event = world.history().events[seen];
        if (event.what == harness::What::strike) strike(event, done);
      }
      if (done) all.push_back(*done);
    }
    history = world.take_history();
    return all;
  }
  harness::History history;

 private:
  std::optional<std::size_t> client(const std::string& name) const {
    const auto found = std::ranges::find(run_.clients, name, &harness::ClientSpec::name);
    if (found == run_.clients.end()) return std::nullopt;
    return static_cast<std::size_t>(found - run_.clients.begin());
  }
  std::optional<Done> named(const EventName& name, const sim::World& world) {
    using Kind = EventName::Kind;
    if (name.kind == Kind::fault) return std::nullopt;  // told by the history
    if (name.kind == Kind::heal) {
      const auto of = *client(run_.faults[static_cast<std::size_t>(name.occurrence - 1)].target);
      if (--pauses_[of] > 0) return std::nullopt;
      return Done{{Event::Kind::wake, of}, world.now()};
    }
    if (name.kind == Kind::ask) return Done{{Event::Kind::ask, *client(name.actor)}, world.now()};
    if (name.kind == Kind::timer) return Done{{Event::Kind::step, *client(name.actor)}, world.now()};
    if (const auto sender = client(name.actor)) return Done{{Event::Kind::request, *sender}, world.now()};
    const std::size_t receiver = *client(name.peer);
    if (pauses_[receiver] > 0) return std::nullopt;
    return Done{{Event::Kind::reply, receiver}, world.now()};
  }
  /// A pause by time is an event of its own; another one is part of the event that it was placed in.
  void strike(const harness::Event& event, std::optional<Done>& done) {
    const std::pair<std::size_t, std::size_t> form{0, static_cast<std::size_t>(event.host)};
    ++pauses_[static_cast<std::size_t>(event.host)];
    if (!done) done = Done{{Event::Kind::strike, static_cast<std::size_t>(event.host)}, event.at};
    done->event.fault = form;
  }

  const harness::Scenario& run_;
  std::vector<int> pauses_;
};

/// The places that a run can be in, by the instants of its events: one, or more where an event has two outcomes that
/// differ only in what comes next.
class Follow final : public Sink {
 public:
  Follow(Successors& successors, const Passed& passed) : successors_(successors), passed_(passed) {
    wanted_ = {};
    successors_.begin(*this, true);
    at_ = std::exchange(next_, {});
  }

  /// False: the search knows no such event here.
  bool follow(const Done& done) {
    for (const Event::Kind kind : kinds_of(done.event)) {
      wanted_ = done.event;
      wanted_.kind = kind;
      for (Place place : at_) {
        const TimePoint then{place.kept.front(), done.at.count()};
        if (place.zone.require_same({}, then)) successors_.expand(place, *this);
      }
      if (!next_.empty()) break;
    }
    at_ = std::exchange(next_, {});
    return !at_.empty();
  }
  [[nodiscard]] int outside() const { return outside_; }
  /// Whether the client does nothing any more, or only waits until it likes to ask: a search leaves out to pause it.
  [[nodiscard]] bool idles(std::size_t client) const {
    return std::ranges::all_of(at_, [&](const Place& place) {
      const ClientPlace& at = place.clients[client];
      const ClientAutomaton::State& state = successors_.automaton(client).state(at.state);
      return !at.is_paused && (state.wants || state.is_over);
    });
  }

  void reach(Place place, std::string, const Event& event) override {
    if (event != wanted_) return;
    place.kept.resize(1);
    Place as_searched = place;
    as_searched.kept.clear();
    std::string bytes = as_searched.make_canonical();
    if (!passed_.contains(bytes, as_searched.zone)) ++outside_;
    (void)place.make_canonical();
    next_.push_back(std::move(place));
  }
  void violate(const Violation&, const Place&, const Event&) override {}
  void record(const Milestone&) override {}

 private:
  /// A client that polls asks by its timer.
  static std::vector<Event::Kind> kinds_of(const Event& event) {
    if (event.kind == Event::Kind::step) return {Event::Kind::step, Event::Kind::ask};
    return {event.kind};
  }

  Successors& successors_;
  const Passed& passed_;
  Event wanted_{};
  std::vector<Place> at_, next_;
  int outside_ = 0;
};

struct Followed {
  int runs = 0, events = 0, struck = 0, violations = 0;
};

/// Follows so many runs.
Followed follow_runs(const Setting& setting, int runs) {
  const harness::Scenario scenario = setting.scenario();
  const harness::Scenario searched = sim::bounded(scenario, *scenario.explore, false);
  Successors successors(searched, *scenario.explore);
  Passed passed;
  const sim::Exploration found = explore_zones(searched, *scenario.explore, {}, successors, passed);
  EXPECT_TRUE(found.complete) << found.stopped;
  Followed followed;
  for (int number = 1; number <= runs; ++number) {
    sim::RandomBits bits(static_cast<std::uint64_t>(number));
    harness::Scenario run = drawn(searched, *scenario.explore, bits);
    run.seed = static_cast<std::uint64_t>(number);
    Translation translation(run);
    const std::vector<Done> events = translation.events();
    Follow follow(successors, passed);
    ++followed.runs;
    std::vector<bool> idle(run.clients.size(), false);  // paused, but only waiting
    for (const Done& done : events) {
      const bool is_pause = done.event.kind == Event::Kind::strike, is_end = done.event.kind == Event::Kind::wake;
      if (is_pause && follow.idles(done.event.client)) idle[done.event.client] = true;
      if (idle[done.event.client] && (is_pause || is_end)) {
        if (is_end) idle[done.event.client] = false;
        continue;
      }
      const bool is_known = follow.follow(done);
      if (!is_known || follow.outside() > 0) {
        ADD_FAILURE() << setting.algorithm << ", run " << number << ", at " << harness::to_text(done.at) << ": "
                      << (is_known ? "outside of the zones" : "no such event") << ", kind "
                      << static_cast<int>(done.event.kind) << " of client " << done.event.client;
        return followed;
      }
      ++followed.events;
      followed.struck += done.event.fault.has_value();
    }
    for (const check::Finding& finding : check::judge(translation.history, run)) {
      if (!found.judged.contains(finding.property) || finding.verdict != check::Verdict::violated) continue;
      ++followed.violations;
      EXPECT_TRUE(kinds_of(found).contains({finding.property, finding.kind}))
          << setting.algorithm << ", run " << number << ": " << finding.property;
    }
  }
  return followed;
}

/// Ranges in which much happens at once.
Setting crowded(const std::string& lock, int faults) {
  Setting setting{.lease = seconds(3), .work = seconds(2), .pause = seconds(4), .faults = faults, .algorithm = lock};
  setting.least_latency = {};
  setting.most_latency = milliseconds(200);
  return setting;
}

TEST(Containment, OfRunsWithOnePause) {
  for (const std::string lock : {"set-px-token", "set-ex-del", "setnx-expire-del"}) {
    const Followed followed = follow_runs(crowded(lock, 1), 150);
    EXPECT_GT(followed.events, 150 * 15) << lock;
    EXPECT_GT(followed.struck, 20) << lock;
    EXPECT_GT(followed.violations, 10) << lock;
  }
}

TEST(Containment, OfTenThousandRuns) {
  for (const std::string lock : {"set-px-token", "set-ex-del", "set-ex-get-del"}) {
    const Followed one = follow_runs(crowded(lock, 1), 6000), two = follow_runs(crowded(lock, 2), 4000);
    EXPECT_EQ(one.runs + two.runs, 10'000) << lock;
    EXPECT_GT(one.violations + two.violations, 1000) << lock;
  }
}

}  // namespace
}  // namespace lockproof::zones
