// SPDX-License-Identifier: Apache-2.0
// Random concrete runs of the simulator stay inside the zones: each is followed event by event, at its own instants,
// and after each event the place and the time that has been reached must be among those of the search. This is what
// finds a branch that is missing.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "harness/scenario/fault_table.hpp"
#include "harness/scenario/file/write.hpp"
#include "harness/scenario/services.hpp"
#include "search/core/contention.hpp"
#include "search/zones/passed_list.hpp"
#include "search/zones/successors.hpp"
#include "tests/search/zones/drawn_runs.hpp"
#include "tests/search/zones/fixture.hpp"

namespace lockproof::zones {
namespace {

/// The places that a run can be in, by the instants of its events: one, or more where an event has two outcomes that
/// differ only in what comes next.
class Follow final : public Sink {
 public:
  Follow(Successors& successors, const harness::Bounds& bounds, const PassedList& passed, const DrawnRun& drawn)
      : successors_(successors), bounds_(bounds), passed_(passed) {
    using harness::FaultKind;
    const bool ticks = harness::row_of(drawn.scenario.algorithm->service).ticks;
    knows_seconds_ = ticks && std::ranges::none_of(drawn.scenario.faults, [](const harness::Fault& fault) {
                       const bool starts = harness::row_of(fault.kind).action == harness::FaultRow::Action::take_down;
                       return starts || fault.kind == FaultKind::clock_rate;
                     });
    wanted_ = {.marks = drawn.from_start()};
    successors_.begin(*this, true);
    at_ = std::exchange(next_, {});
  }

  /// False: the search knows no such event here. What a client hears as its pause ends is an event of its own there.
  bool follow(const Done& done) {
    const std::vector<Place> before = at_;
    if (go_on(done)) return true;
    at_ = before;
    return go_on({{Event::Kind::reply, done.event.client}, done.at}) && go_on(done);
  }
  [[nodiscard]] int outside() const { return outside_; }
  /// It is now so late.
  void pass_time(Duration now) {
    std::erase_if(at_, [&](Place place) {
      const TimePoint then{place.kept.front(), now.count()};
      return !place.zone.require_same({}, then);
    });
  }
  /// Whether the client has nothing on its connection to that host that could be lost: then its end changes nothing.
  [[nodiscard]] bool is_unused(std::size_t client, bool of_resource) const {
    return std::ranges::all_of(at_, [&](const Place& place) { return !successors_.uses(place, client, of_resource); });
  }
  [[nodiscard]] bool is_over(std::size_t client) const {
    return std::ranges::all_of(at_, [&](const Place& place) {
      const ClientPlace& at = place.clients[client];
      return at.is_gone || successors_.automaton(client).state(at.state).is_over;
    });
  }
  /// Whether the client does nothing any more, or only waits until it likes to ask: a search leaves out to pause it.
  /// `suspended`: and whether it has read no clock that would stand still.
  [[nodiscard]] bool idles(std::size_t client, bool suspended) const {
    return std::ranges::all_of(at_, [&](const Place& place) {
      const ClientPlace& at = place.clients[client];
      if (at.is_gone) return true;
      if (suspended && !at.names.empty()) return false;
      const ClientAutomaton::State& state = successors_.automaton(client).state(at.state);
      return !at.is_paused && (state.wants || state.is_over);
    });
  }

  void reach(Place place, std::string, const Event& event) override {
    if (!is_wanted(event)) return;
    if (knows_seconds_ && place.kept.size() > 2 && !fix_second(place)) return;
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
  /// A lease is counted from a whole second of the server, which counts from the beginning. False: there is none.
  static bool fix_second(Place& place) {
    constexpr std::int64_t second = 1'000'000;
    const Row begin = place.kept.front(), counted = place.kept[1];
    const std::int64_t last = place.zone.bound(counted, begin);
    const std::int64_t at = last - ((last % second) + second) % second;
    return place.zone.require_same({counted}, {begin, at});
  }
  bool go_on(const Done& done) {
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
  /// What is laid on a call and may end without an effect does not show when it is laid.
  [[nodiscard]] bool is_wanted(Event event) const {
    std::erase_if(event.marks, [&](const Form& form) {
      const harness::FaultKind kind = bounds_.budget[form.first].kind;
      return kind == harness::FaultKind::resend || kind == harness::FaultKind::retry;
    });
    return event == wanted_;
  }
  /// A client that polls asks by its timer.
  static std::vector<Event::Kind> kinds_of(const Event& event) {
    if (event.kind == Event::Kind::step) return {Event::Kind::step, Event::Kind::ask};
    return {event.kind};
  }

  Successors& successors_;
  const harness::Bounds& bounds_;
  const PassedList& passed_;
  Event wanted_{};
  std::vector<Place> at_, next_;
  bool knows_seconds_ = false;
  int outside_ = 0;
};

struct Followed {
  int runs = 0, events = 0, struck = 0, violations = 0;
};

/// Whether a search leaves this event out, since it changes nothing.
class Omission {
 public:
  Omission(const harness::Scenario& run, const harness::Bounds& bounds)
      : run_(run), bounds_(bounds), idle_(run.clients.size() + 1, false), clients_(run.clients.size()) {}
  /// A pause that the search knows overlaps one that it leaves out: from then on they cannot be compared.
  [[nodiscard]] bool is_mixed() const { return is_mixed_; }
  bool is_left_out(const Follow& follow, Event& event) {
    using harness::FaultKind;
    std::erase_if(event.placed, [&](const Form& form) { return is_void(follow, form); });
    const bool is_placed = event.fault && event.fault->first >= bounds_.budget.size();
    if (is_placed && is_void(follow, *event.fault)) event.fault.reset();
    if (is_placed) return false;
    if (event.kind == Event::Kind::reply) return event.placed.empty() && follow.is_over(event.client);
    if (event.kind == Event::Kind::wake && event.client >= clients_) return false;
    if (event.kind == Event::Kind::wake) return idle_[event.client] && !(idle_[event.client] = false);
    if (event.kind == Event::Kind::heal) {
      const auto cut = cuts_.begin() + static_cast<std::ptrdiff_t>(event.client);
      event.client = static_cast<std::size_t>(std::count(cuts_.begin(), cut, false));
      const bool was_left_out = *cut;
      cuts_.erase(cut);
      return was_left_out;
    }
    if (event.kind != Event::Kind::strike || !event.fault) return false;
    const harness::Fault& fault = bounds_.budget[event.fault->first].forms[event.fault->second];
    if (fault.kind == FaultKind::break_connection && follow.is_unused(event.client, *event.peer > clients_))
      return true;
    const bool of_server = event.client == 0 && fault.target != run_.clients.front().name;
    if (of_server && fault.kind != FaultKind::partition) return false;
    const bool is_over = !of_server && follow.is_over(event.client);
    if (fault.kind == FaultKind::partition) cuts_.push_back(is_over);
    if (fault.kind == FaultKind::partition || fault.kind == FaultKind::break_connection) return is_over;
    const bool idles = follow.idles(event.client, fault.kind == FaultKind::suspend);
    idle_[event.client] = idle_[event.client] || (idles && harness::stands_still(fault.kind));
    return idles || idle_[event.client];
  }

 private:
  /// What the scenario has placed strikes nothing: its client is over.
  bool is_void(const Follow& follow, const Form& form) {
    const harness::Fault& fault = run_.faults[form.first - bounds_.budget.size()];
    const auto client = std::ranges::find(run_.clients, fault.target, &harness::ClientSpec::name);
    const bool is_cut = fault.kind == harness::FaultKind::partition;
    if (is_cut) cuts_.push_back(false);
    if (is_cut || client == run_.clients.end()) return false;
    const auto index = static_cast<std::size_t>(client - run_.clients.begin());
    if (!follow.is_over(index)) return is_mixed_ = is_mixed_ || idle_[index], false;
    idle_[index] = idle_[index] || harness::stands_still(fault.kind);
    return true;
  }

  const harness::Scenario& run_;
  const harness::Bounds& bounds_;
  std::vector<bool> cuts_{};  // of each that holds whether it was left out
  std::vector<bool> idle_;    // paused, but only waiting
  bool is_mixed_ = false;
  const std::size_t clients_;
};

void follow_run(const Setting& setting, const DrawnRun& drawn, Follow& follow, const harness::Bounds& bounds,
                Translation& translation, Followed& followed) {
  Omission omission(drawn.scenario, bounds);
  for (Done& done : translation.events()) {
    follow.pass_time(done.at);
    if (omission.is_left_out(follow, done.event)) continue;
    if (omission.is_mixed()) return;
    const bool acts = done.event.kind == Event::Kind::step || done.event.kind == Event::Kind::ask;
    if (acts && follow.is_over(done.event.client)) return;  // in a search its attempts may not fail more often
    const bool is_known = follow.follow(done);
    if (!is_known || follow.outside() > 0) {
      ADD_FAILURE() << setting.algorithm << ", run " << drawn.scenario.seed << ", at " << harness::to_text(done.at)
                    << ": " << (is_known ? "outside of the zones" : "no such event") << ", kind "
                    << static_cast<int>(done.event.kind) << " of client " << done.event.client << "\n"
                    << harness::to_toml(drawn.scenario);
      return;
    }
    ++followed.events;
    const Event& event = done.event;
    followed.struck += event.fault || event.late || !event.marks.empty() || !event.placed.empty();
  }
}

/// Follows so many runs. `more`: of the scenario.
Followed follow_runs(const Setting& setting, int runs, const std::string& more = "") {
  const harness::Scenario scenario = setting.scenario(more);
  const harness::Scenario searched = sim::bounded(scenario, *scenario.explore, false);
  Successors successors(searched, *scenario.explore);
  PassedList passed;
  const sim::Exploration found = explore_zones(searched, *scenario.explore, {}, successors, passed);
  EXPECT_TRUE(found.complete) << found.stopped;
  Followed followed;
  for (int number = 1; number <= runs && !testing::Test::HasFailure(); ++number) {
    const DrawnRun drawn = Draw(searched, *scenario.explore, static_cast<std::uint64_t>(number)).take();
    Translation translation(drawn, scenario.explore->budget.size());
    Follow follow(successors, *scenario.explore, passed, drawn);
    followed.struck += static_cast<int>(drawn.from_start().size());
    ++followed.runs;
    follow_run(setting, drawn, follow, *scenario.explore, translation, followed);
    for (const check::Finding& finding : check::judge(translation.history, drawn.scenario)) {
      if (!found.judged.contains(finding.property) || finding.verdict != check::Verdict::violated) continue;
      ++followed.violations;
      EXPECT_TRUE(kinds_of(found).contains({finding.property, finding.kind}))
          << setting.algorithm << ", run " << number << ": " << finding.property << "\n"
          << harness::to_toml(drawn.scenario);
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
    EXPECT_GE(followed.violations, 10) << lock;
  }
}

class ContainmentOf : public testing::TestWithParam<Entry> {
 protected:
  static Followed followed(const std::string& lock, int runs) {
    Setting setting = crowded(lock, 1);
    setting.other_faults = {GetParam().text};
    return follow_runs(setting, runs);
  }
};

TEST_P(ContainmentOf, AFewRuns) {
  const Followed all = followed("set-px-token", 200);
  EXPECT_GT(all.struck, 10);
}

TEST_P(ContainmentOf, AFewRunsOfOtherServices) {
  for (const std::string lock : {"memcached-add", "memcached-add-cas", "postgres-row"}) {
    Setting setting = crowded(lock, 1);
    setting.other_faults = {GetParam().text};
    if (!setting.can_have_faults()) continue;
    EXPECT_GT(follow_runs(setting, 100).struck, 5) << lock;
  }
}

TEST_P(ContainmentOf, TwoThousandRuns) {
  int struck = 0;
  for (const std::string lock : {"set-px-token", "setnx-expire-del"}) struck += followed(lock, 1000).struck;
  EXPECT_GT(struck, 100);
}

INSTANTIATE_TEST_SUITE_P(
    All, ContainmentOf,
    testing::Values(Entry{"restart", "kind = \"restart\"\nfor = \"..4s\"\n"},
                    Entry{"power_cut", "kind = \"power-cut\"\nfor = \"..4s\"\n"},
                    Entry{"server_pause", "kind = \"pause\"\ntarget = \"servers\"\nfor = \"..4s\"\n"},
                    Entry{"evict", "kind = \"evict\"\n"}, Entry{"flush", "kind = \"flush\"\n"},
                    Entry{"crash", "kind = \"crash\"\n"}, Entry{"kill_task", "kind = \"kill-task\"\n"},
                    Entry{"half_open", "kind = \"half-open\"\n"}, Entry{"delay", "kind = \"delay\"\nby = \"..4s\"\n"},
                    Entry{"resend", "kind = \"resend\"\nfor = \"..1999ms\"\n"},
                    Entry{"retry",
                          "kind = \"retry\"\nlose = [\"reply\", \"nothing\"]\nconnection = [\"new\", \"same\"]\n"},
                    Entry{"break_connection", "kind = \"break-connection\"\n"},
                    Entry{"partition", "kind = \"partition\"\nfor = \"..4s\"\n"},
                    Entry{"suspend", "kind = \"suspend\"\ntarget = \"clients\"\nfor = [\"1s\", \"4s\"]\n"},
                    Entry{"server_suspend", "kind = \"suspend\"\ntarget = \"servers\"\nfor = [\"1s\", \"4s\"]\n"},
                    Entry{"clock_jump", "kind = \"clock-jump\"\nby = [\"1s\", \"4s\", \"-2s\"]\n"},
                    Entry{"clock_rate", "kind = \"clock-rate\"\nrate = [\"+1%\", \"-2%\", \"+50%\", \"-40%\"]\n"}),
    [](const auto& one) { return one.param.name; });

/// They overlap, and the clocks that they stop run at another rate.
TEST(Containment, OfASuspensionWithinAPauseOrADrift) {
  Setting setting = crowded("set-px-token", 2);
  const std::string suspend = "kind = \"suspend\"\ntarget = \"clients\"\nfor = [\"1s\", \"3s\"]\nmost = 1\n";
  for (const std::string other : {"kind = \"pause\"\ntarget = \"clients\"\nfor = \"..4s\"\n",
                                  "kind = \"clock-rate\"\nrate = [\"+50%\", \"-30%\"]\n"}) {
    setting.other_faults = {suspend, other};
    EXPECT_GT(follow_runs(setting, 400).struck, 100);
  }
}

/// Of faults that the scenario places at an event, beside a pause that strikes anywhere.
class ContainmentOfPlaced : public testing::TestWithParam<Entry> {};

TEST_P(ContainmentOfPlaced, AFewRuns) {
  for (const std::string lock : {"set-px-token", "setnx-expire-del"}) {
    const std::string set = lock == "set-px-token" ? "SET" : "SETNX";
    std::string fault = "[[fault]]\n" + GetParam().text;
    fault.replace(fault.find("LOCK"), 4, set);
    EXPECT_GT(follow_runs(crowded(lock, 1), 150, fault).struck, 20) << lock;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, ContainmentOfPlaced,
    testing::Values(
        Entry{"pause", "when = \"client-1 after LOCK\"\nkind = \"pause\"\ntarget = \"client-1\"\nfor = \"3s\"\n"},
        Entry{"pause_before",
              "when = \"client-1 before LOCK\"\nkind = \"pause\"\ntarget = \"client-1\"\nfor = \"1s\"\n"},
        Entry{
            "pause_later",
            "when = \"client-1 before LOCK\"\nkind = \"pause\"\ntarget = \"client-2\"\nfor = \"4s\"\nafter = \"1s\"\n"},
        Entry{"server_pause", "when = \"redis-1 before LOCK\"\nkind = \"pause\"\ntarget = \"redis-1\"\nfor = \"3s\"\n"},
        Entry{"server_pause_after",
              "when = \"redis-1 after LOCK\"\nkind = \"pause\"\ntarget = \"redis-1\"\nfor = \"3s\"\n"},
        Entry{"restart", "when = \"redis-1 before LOCK #2\"\nkind = \"restart\"\ntarget = \"redis-1\"\nfor = \"1s\"\n"},
        Entry{"break_at_server",
              "when = \"redis-1 after LOCK of client-1\"\nkind = \"break-connection\"\ntarget = \"client-1\"\npeer = "
              "\"redis-1\"\n"},
        Entry{
            "break_at_client",
            "when = \"client-1 after LOCK\"\nkind = \"break-connection\"\ntarget = \"client-1\"\npeer = \"redis-1\"\n"},
        Entry{"lost_reply",
              "when = \"redis-1 after LOCK of client-1\"\nkind = \"half-open\"\ntarget = \"client-1\"\nlose = "
              "\"reply\"\n"},
        Entry{"late_command",
              "when = \"client-1 before LOCK\"\nkind = \"delay\"\ntarget = \"client-1\"\nby = \"3s\"\n"},
        Entry{"retry", "when = \"client-1 before LOCK\"\nkind = \"retry\"\ntarget = \"client-1\"\n"},
        Entry{"partition",
              "when = \"client-1 before LOCK\"\nkind = \"partition\"\ntarget = \"client-2\"\nfor = \"3s\"\n"},
        Entry{"crash", "when = \"client-2 after LOCK\"\nkind = \"crash\"\ntarget = \"client-1\"\n"}),
    [](const auto& one) { return one.param.name; });

TEST(Containment, OfTenThousandRuns) {
  for (const std::string lock : {"set-px-token", "set-ex-del", "set-ex-get-del"}) {
    const Followed one = follow_runs(crowded(lock, 1), 6000), two = follow_runs(crowded(lock, 2), 4000);
    EXPECT_EQ(one.runs + two.runs, 10'000) << lock;
    EXPECT_GT(one.violations + two.violations, 1000) << lock;
  }
}

}  // namespace
}  // namespace lockproof::zones
