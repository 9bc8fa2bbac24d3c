// SPDX-License-Identifier: Apache-2.0
#include "search/zones/schedule.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harness/scenario/services.hpp"
#include "search/zones/recorder.hpp"
#include "sim/world/clocks.hpp"

namespace lockproof::zones {
namespace {

constexpr std::int64_t millisecond = 1000;
constexpr std::int64_t second = 1'000'000;

/// One place, or one violation, of an expansion.
class Pick final : public Sink {
 public:
  Pick(std::uint32_t which, bool of_violations) : left_(which), of_violations_(of_violations) {}
  void reach(Place place, std::string, const Event& event) override {
    if (!of_violations_ && left_-- == 0) picked_ = {std::move(place), event};
  }
  void violate(const Violation&, const Place& place, const Event& event) override {
    if (of_violations_ && left_-- == 0) picked_ = {place, event};
  }
  void record(const Milestone&) override {}
  [[nodiscard]] std::pair<Place, Event> take() {
    if (!picked_) throw std::logic_error("a trail through zones cannot be followed again");
    return std::move(*picked_);
  }

 private:
  std::int64_t left_;
  const bool of_violations_;
  std::optional<std::pair<Place, Event>> picked_{};
};

/// Of all but the last place, without its zone: with every instant kept, these would be the most of what is stored.
std::vector<Instance> followed(Successors& successors, const Trail& trail) {
  std::vector<Instance> all;
  Place at;
  for (std::size_t i = 0; i < trail.places.size() + (trail.violation ? 1 : 0); ++i) {
    const bool is_last = i == trail.places.size();
    Pick pick(is_last ? *trail.violation : trail.places[i], is_last);
    i == 0 ? successors.begin(pick, true) : successors.expand(at, pick);
    auto [next, event] = pick.take();
    at.zone = Zone();
    if (i > 0) all.back().after.zone = Zone();
    all.push_back({event, std::move(at), next});
    at = std::move(next);
  }
  return all;
}

/// What an event of the trail does to the server's counting of leases.
struct CountEffect {
  Row event = forgotten;
  Row counted = forgotten;  // a lease begins, and is counted from there; forgotten: none does
  Row jumped = forgotten;   // … or from there no more, since the wall clock jumps: the difference is the jump
  Duration stands{};        // its monotonic clock stands still for so long; if neither, its process starts
  std::size_t number = 0;   // of the event
};

/// Chooses a number for each kept instant, counted from the beginning.
class Numbers {
 public:
  /// `server`: its clocks.
  Numbers(const Place& last, const sim::HostClocks& server)
      : zone_(last.zone), begin_(last.kept.front()), server_(server) {}

  /// Of leases that are counted in seconds of the monotonic clock: one of these begins when it shows `from`. False: no
  /// numbers were found.
  bool fix_seconds(std::span<const CountEffect> all, std::int64_t from, Duration stood = {}) {
    if (all.empty()) return true;
    const Row event = all.front().event, counted = all.front().counted;
    const Duration stands = all.front().stands;
    const auto reading = [&](std::int64_t at) { return InstantAccess::us(server_.mono(Duration(at) - stood)); };
    if (counted == forgotten) {
      if (!fix(event)) return false;
      return fix_seconds(all.subspan(1), stands == Duration{} ? reading(least(event)) : from, stood + stands);
    }
    const std::int64_t before = (reading(least(counted)) - from) / second - 1, most = last(counted);
    for (std::int64_t number = before; tries_left_ > 0; ++number) {
      const Duration at = server_.when(InstantAccess::make<Mono>(from + number * second)) + stood;
      if (at.count() > most) return false;
      --tries_left_;
      const Zone unfixed = zone_;
      if (fix(counted, at.count()) && fix_seconds(all.subspan(1), from, stood)) return true;
      zone_ = unfixed;
    }
    return false;
  }
  /// Of a lease: the server counts it from the first millisecond of its clock after the event. False: no number was
  /// found, at a round instant or within a millisecond after it.
  bool fix_lease(Row event, Row counted) {
    const std::int64_t most = zone_.bound(counted, event), first = least(event);
    const std::int64_t phase = (millisecond - most) % millisecond;
    const std::int64_t at = first + (phase - first % millisecond + millisecond) % millisecond;
    const std::int64_t from = at <= last(event) && phase != 0 ? at : round(first, last(event));
    const std::int64_t until = std::min(last(event), from + millisecond);
    for (std::int64_t one = from; one <= until; ++one) {
      const Zone before = zone_;
      if (fix(event, one) && fix(counted, tick_after(event))) return true;
      zone_ = before;
    }
    return false;
  }
  /// A wall clock jumps by whole milliseconds. Nothing: none is possible.
  std::optional<Duration> fix_jump(Row counted, Row before) {
    const std::int64_t first = -zone_.bound(counted, before), last = zone_.bound(before, counted);
    const std::int64_t most = last - ((last % millisecond) + millisecond) % millisecond, nice = round(first, last);
    const std::int64_t by = nice % millisecond == 0 ? nice : most;
    if (by < first || !zone_.require_same({before}, {counted, by})) return std::nullopt;
    return Duration(by);
  }
  /// False: no number does.
  bool fix(Row instant) { return fix(instant, round(least(instant), last(instant))); }
  /// REQUIRES: it was fixed.
  [[nodiscard]] Duration of(Row instant) const { return Duration(least(instant)); }

 private:
  [[nodiscard]] std::int64_t least(Row row) const { return -zone_.bound(begin_, row); }
  [[nodiscard]] std::int64_t last(Row row) const {
    constexpr std::int64_t far = 60'000'000;
    return zone_.bound(row, begin_) < Zone::none ? zone_.bound(row, begin_) : least(row) + far;
  }
  [[nodiscard]] std::int64_t tick_after(Row event) const {
    return server_.when_past(server_.wall_ms(Duration(least(event)))).count();
  }
  bool fix(Row row, std::int64_t at) { return zone_.require_same({row}, {begin_, at}); }

  /// The first multiple of the largest unit.
  [[nodiscard]] static std::int64_t round(std::int64_t first, std::int64_t last) {
    constexpr std::array units{10'000'000, 5'000'000, 1'000'000, 500'000, 100'000, 50'000, 10'000, 5'000, 1'000, 100};
    for (const std::int64_t unit : units) {
      const std::int64_t multiple = (first + unit - 1) / unit * unit;
      if (multiple <= last) return multiple;
    }
    return first;
  }

  Zone zone_;
  int tries_left_ = 2000;
  const Row begin_;
  const sim::HostClocks& server_;
};

bool is_jump_of_any_length(const Event& event, const Successors& successors) {
  if (event.kind != Event::Kind::strike || !event.fault) return false;
  const harness::Fault& fault = successors.fault_of(*event.fault);
  return fault.kind == harness::FaultKind::clock_jump && fault.least;
}

/// Of each event in which leases begin, or the server's seconds do.
std::vector<CountEffect> countings_of(std::span<const Instance> trail, const std::vector<Row>& rows,
                                      const Successors& successors, const harness::Scenario& scenario) {
  const std::string& server = scenario.servers.front().name;
  std::vector<CountEffect> all;
  std::size_t known = 1;
  for (std::size_t number = 0; number < trail.size(); ++number) {
    const auto& [event, before, after] = trail[number];
    const std::size_t kept = after.kept.size();
    const bool jumps = is_jump_of_any_length(event, successors);
    for (std::size_t lease = known; lease + 1 < kept; ++lease) {
      CountEffect one{.event = rows[kept - 1], .counted = rows[lease], .number = number};
      if (jumps) {
        const auto was = std::ranges::find(before.kept, before.leases[lease - known]);
        one.jumped = rows[static_cast<std::size_t>(was - before.kept.begin())];
      }
      all.push_back(one);
    }
    known = kept;
    const bool starts = event.kind == Event::Kind::wake && event.client == scenario.clients.size() + 1;
    if (starts) all.push_back({.event = rows[kept - 1]});
    std::vector<Event::Fault> struck = event.placed;
    if (event.fault) struck.push_back(*event.fault);
    for (const Event::Fault& form : struck) {
      const harness::Fault& fault = successors.fault_of(form);
      if (fault.kind == harness::FaultKind::suspend && fault.target == server)
        all.push_back({.event = rows[kept - 1], .stands = fault.lasts});
    }
  }
  return all;
}

/// The number of each event, and how far clocks jump in it, if that is left open and matters.
struct Chosen {
  std::vector<Duration> at;
  std::map<std::size_t, Duration> jumps;
};

/// Nothing: there are none. `violates`: the last event breaks a property, and is now.
std::optional<Chosen> numbers_of(const std::vector<Instance>& trail, const Successors& successors,
                                 const harness::Scenario& scenario, const sim::HostClocks& server, bool violates) {
  const Place& last = trail.back().after;
  const std::span<const Instance> passed(trail.data(), trail.size() - (violates ? 1 : 0));
  std::vector<Row> events;
  for (const Instance& one : passed) events.push_back(last.kept[one.after.kept.size() - 1]);
  if (violates) events.push_back(now_row);
  Chosen chosen;
  Numbers numbers(last, server);
  const std::vector<CountEffect> countings = countings_of(passed, last.kept, successors, scenario);
  if (harness::row_of(scenario.algorithm->service).ticks) {
    const Duration first_tick = scenario.servers.front().clock.mono + scenario.service.phase;
    if (!numbers.fix_seconds(countings, first_tick.count())) return std::nullopt;
  } else {
    for (const CountEffect& one : countings) {
      if (one.counted == forgotten) continue;
      const auto jump = one.jumped == forgotten ? std::nullopt : numbers.fix_jump(one.counted, one.jumped);
      if (jump) chosen.jumps.emplace(one.number, *jump);
      if (!jump && (one.jumped != forgotten || !numbers.fix_lease(one.event, one.counted))) return std::nullopt;
    }
  }
  for (const Row event : events) {
    if (!numbers.fix(event)) return std::nullopt;
    chosen.at.push_back(numbers.of(event));
  }
  return chosen;
}

}  // namespace

std::optional<sim::ShortestViolation::ConcreteRun> numbered(Successors& successors, const harness::Scenario& scenario,
                                                            const harness::Bounds& bounds, const Trail& trail) {
  const std::vector<Instance> passed = followed(successors, trail);
  sim::HostClocks server(scenario.servers.front().clock);
  server.set_rate({}, successors.rate_ppb(passed.back().after, scenario.clients.size()));
  const auto chosen = numbers_of(passed, successors, scenario, server, trail.violation.has_value());
  if (!chosen) return std::nullopt;
  Recorder recorder(successors, scenario, bounds);
  for (std::size_t i = 0; i < passed.size(); ++i) {
    const auto jump = chosen->jumps.find(i);
    recorder.write(passed[i], chosen->at[i], jump == chosen->jumps.end() ? std::nullopt : std::optional(jump->second));
  }
  return recorder.take(trail.silence);
}

}  // namespace lockproof::zones
