// SPDX-License-Identifier: Apache-2.0
#include "search/zones/schedule.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

#include "search/core/contention.hpp"
#include "sim/kernel/choosers.hpp"
#include "sim/world/world.hpp"

namespace lockproof::zones {
namespace {

using harness::EventName;

constexpr std::int64_t millisecond = 1000;

/// An event of the trail, with the places before and after it.
struct Instance {
  Event event;
  Place before, after;
};

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

std::vector<Instance> followed(Successors& successors, const Trail& trail) {
  std::vector<Instance> all;
  Place at;
  for (std::size_t i = 0; i < trail.places.size() + (trail.violation ? 1 : 0); ++i) {
    const bool is_last = i == trail.places.size();
    Pick pick(is_last ? *trail.violation : trail.places[i], is_last);
    i == 0 ? successors.begin(pick, true) : successors.expand(at, pick);
    auto [next, event] = pick.take();
    all.push_back({event, std::move(at), next});
    at = std::move(next);
  }
  return all;
}

/// Chooses a number for each kept instant, counted from the beginning.
class Numbers {
 public:
  explicit Numbers(const Place& last) : zone_(last.zone), begin_(last.kept.front()) {}

  /// Of a lease: the server counts it from the first millisecond of its clock after the event. False: no number does.
  bool fix_lease(Row event, Row counted) {
    const std::int64_t most = zone_.bound(counted, event), first = least(event);
    const std::int64_t phase = (millisecond - most) % millisecond;
    const std::int64_t at = first + (phase - first % millisecond + millisecond) % millisecond;
    return fix(event, at <= last(event) && phase != 0 ? at : round(first, last(event))) &&
           fix(counted, tick_after(event));
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
  [[nodiscard]] std::int64_t tick_after(Row event) const { return (least(event) / millisecond + 1) * millisecond; }
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
  const Row begin_;
};

/// The number of each event. Nothing: there are none. `violates`: the last one breaks a property, and is now.
std::optional<std::vector<Duration>> numbers_of(const std::vector<Instance>& trail, bool violates) {
  const Place& last = trail.back().after;
  std::vector<Row> events;
  std::vector<std::pair<Row, Row>> leases;
  std::size_t known = 1;
  for (std::size_t i = 0; i + (violates ? 1 : 0) < trail.size(); ++i) {
    const std::size_t kept = trail[i].after.kept.size();
    events.push_back(last.kept[kept - 1]);
    if (kept == known + 2) leases.emplace_back(events.back(), last.kept[kept - 2]);
    known = kept;
  }
  if (violates) events.push_back(now_row);
  Numbers numbers(last);
  for (const auto& [event, counted] : leases) {
    if (!numbers.fix_lease(event, counted)) return std::nullopt;
  }
  std::vector<Duration> at;
  for (const Row event : events) {
    if (!numbers.fix(event)) return std::nullopt;
    at.push_back(numbers.of(event));
  }
  return at;
}

/// Lets a world do what the trail does: its events in their order, with the latencies that it has.
class Follower final : public sim::Chooser {
 public:
  struct Expected {
    Event::Kind kind;
    std::string client;
    int fault = 0;  // its number, of a strike or a wake
  };
  std::vector<Expected> events{};
  /// By who sends and who receives: how long each message takes; those behind the last one take as long as possible.
  std::map<std::pair<std::string, std::string>, std::vector<Duration>> latencies{};

  std::size_t first_of(std::size_t count, const sim::NameOf& name) override {
    std::size_t chosen = 0;
    auto best = events.end();
    for (std::size_t i = 0; i < count; ++i) {
      const EventName candidate = name(i);
      const auto found = std::ranges::find_if(events, [&](const Expected& one) { return is(one, candidate); });
      if (found < best) best = found, chosen = i;
    }
    if (best != events.end()) events.erase(best);
    return chosen;
  }
  Duration duration(const harness::Window& window, Duration, const sim::NameOf& name) override {
    const EventName message = name(0);
    auto& left = latencies[{message.actor, message.peer}];
    if (left.empty()) return window.most;
    const Duration first = left.front();
    left.erase(left.begin());
    return first;
  }

 private:
  static bool is(const Expected& expected, const EventName& name) {
    switch (expected.kind) {
      case Event::Kind::begin: return false;
      case Event::Kind::step: return name.kind == EventName::Kind::timer && name.actor == expected.client;
      case Event::Kind::ask: return name.kind == EventName::Kind::ask && name.actor == expected.client;
      case Event::Kind::request: return name.kind == EventName::Kind::message && name.actor == expected.client;
      case Event::Kind::reply: return name.kind == EventName::Kind::message && name.peer == expected.client;
      case Event::Kind::strike: return name.kind == EventName::Kind::fault && name.occurrence == expected.fault;
      case Event::Kind::wake: return name.kind == EventName::Kind::heal && name.occurrence == expected.fault;
    }
    return false;
  }
};

/// Writes the trail down, event by event.
class Recorder {
 public:
  Recorder(const Successors& successors, const harness::Scenario& scenario, const harness::Bounds& bounds)
      : successors_(successors), bounds_(bounds), scenario_(sim::as_written(scenario)),
        clients_(scenario.clients.size()) {
    for (harness::ClientSpec& client : scenario_.clients) {
      if (client.plan.failed_attempts) client.plan.attempts = client.plan.failed_attempts;
      client.plan.start_latest.reset();
    }
    scenario_.explore.reset();
    scenario_.expect = {};
    scenario_.seed = 1;
  }

  void write(const Instance& passed, Duration at) {
    const auto& [event, before, after] = passed;
    const std::string& name = scenario_.clients[event.client].name;
    Followed& client = clients_[event.client];
    const ClientPlace& then = after.clients[event.client];
    if (event.kind == Event::Kind::ask) ask(event.client, before, at);
    if (event.kind == Event::Kind::request || event.kind == Event::Kind::reply) {
      const bool is_request = event.kind == Event::Kind::request;
      const std::string other = peer(before.clients[event.client]);
      follower_.latencies[is_request ? std::pair(name, other) : std::pair(other, name)].push_back(at - client.sent_at);
    }
    const bool is_by_itself = event.kind == Event::Kind::strike;
    if (event.fault && !is_by_itself) count_message(event.client, then);
    int fault = 0;
    if (event.fault) fault = strike(event, then, at);
    if (event.kind == Event::Kind::wake) {
      const ClientPlace& was = before.clients[event.client];
      if (was.message == ClientPlace::Message::reply &&
          then.message != ClientPlace::Message::reply) {  // it came during the pause
        follower_.events.push_back({Event::Kind::reply, name});
        const Duration struck = client.pauses.front().second;
        follower_.latencies[{peer(was), name}].push_back(
            std::max(scenario_.network.latency.least, struck - client.sent_at));
      }
      fault = wake(event.client, at);
    }
    if (event.kind != Event::Kind::begin) follower_.events.push_back({event.kind, name, fault});
    const bool is_new =
        then.message != ClientPlace::Message::none && then.message != before.clients[event.client].message;
    if (is_new && event.kind != Event::Kind::begin) client.sent_at = at;
    const bool was_counted = event.kind == Event::Kind::wake && before.clients[event.client].is_held;
    if (is_new && then.message == ClientPlace::Message::request && !was_counted) count_message(event.client, then);
    last_ = &after;
    violated_at_ = at;
  }

  [[nodiscard]] sim::Broken::Numbered take(Duration silence) {
    const Duration later = std::chrono::ceil<std::chrono::seconds>(violated_at_) + silence + seconds(1);
    for (std::size_t i = 0; i < clients_.size(); ++i) {  // who does not ask before that does not in a run either
      if (successors_.automaton(i).state(last_->clients[i].state).wants) ask(i, *last_, later);
    }
    sim::RecordingChooser recording(follower_, true);
    sim::World world(scenario_, recording, {.record = false, .record_inputs = false, .token_name = {}});
    while (world.now() <= violated_at_ && !follower_.events.empty() && world.step()) {
    }
    std::vector<harness::Step> asks = std::exchange(scenario_.steps, recording.steps());
    for (harness::Step& ask : asks) {
      const auto known = std::ranges::find(scenario_.steps, ask.event, &harness::Step::event);
      known == scenario_.steps.end() ? scenario_.steps.push_back(std::move(ask)) : void(known->at = ask.at);
    }
    return {std::move(scenario_), violated_at_};
  }

 private:
  struct Followed {
    std::map<int, int> asks{};                           // by round
    std::map<std::pair<int, std::string>, int> sends{};  // by round and verb
    Duration sent_at{};                                  // its message under trail, or the reply to it
    std::vector<std::pair<int, Duration>> pauses{};      // that have not ended: fault number, and when each struck
  };

  [[nodiscard]] std::string peer(const ClientPlace& client) const {
    return client.of_resource ? "resource" : scenario_.servers.front().name;
  }
  [[nodiscard]] int round_of(std::size_t client, const ClientPlace& at) const {
    return successors_.automaton(client).state(at.state).round;
  }
  void ask(std::size_t client, const Place& before, Duration at) {
    const int round = round_of(client, before.clients[client]);
    EventName name{.kind = EventName::Kind::ask, .actor = scenario_.clients[client].name, .peer = {}, .verb = {}};
    name.round = round;
    name.occurrence = ++clients_[client].asks[round];
    scenario_.steps.push_back({.event = std::move(name), .takes = std::nullopt, .at = at});
  }
  void count_message(std::size_t client, const ClientPlace& then) {
    const auto& state = successors_.automaton(client).state(then.state);
    if (state.act != HostAct::Kind::call) return;
    ++clients_[client].sends[{state.round, std::string(successors_.payloads().command(state.command).verb())}];
  }

  /// Returns the fault's number.
  int strike(const Event& event, const ClientPlace& then, Duration at) {
    const auto [entry, form] = *event.fault;
    harness::Fault fault = bounds_.budget[entry].forms[form];
    fault.least.reset();
    if (event.kind == Event::Kind::strike) {
      fault.at = at;
    } else {
      fault.when = place_of(event.client, then);
    }
    scenario_.faults.push_back(std::move(fault));
    const auto number = static_cast<int>(scenario_.faults.size());
    clients_[event.client].pauses.emplace_back(number, at);
    return number;
  }
  [[nodiscard]] harness::When place_of(std::size_t client, const ClientPlace& then) const {
    const auto& state = successors_.automaton(client).state(then.state);
    harness::When when;
    when.actor = scenario_.clients[client].name;
    when.round = state.round;
    if (state.act == HostAct::Kind::call) {
      when.verb = successors_.payloads().command(state.command).verb();
      const auto known = clients_[client].sends.find({state.round, when.verb});
      when.occurrence = known == clients_[client].sends.end() ? 1 : known->second;
    } else {
      when.verb = harness::name(state.before);
    }
    return when;
  }
  /// The last pause ends now, and the others not after it.
  int wake(std::size_t client, Duration at) {
    std::vector<std::pair<int, Duration>> pauses = std::exchange(clients_[client].pauses, {});
    for (const auto& [number, struck] : pauses) {
      Duration& lasts = scenario_.faults[static_cast<std::size_t>(number - 1)].lasts;
      lasts = std::min(lasts, at - struck);
    }
    return pauses.back().first;
  }

  const Successors& successors_;
  const harness::Bounds& bounds_;
  harness::Scenario scenario_;
  std::vector<Followed> clients_;
  Follower follower_;
  const Place* last_ = nullptr;
  Duration violated_at_{};
};

}  // namespace

std::optional<sim::Broken::Numbered> numbered(Successors& successors, const harness::Scenario& scenario,
                                              const harness::Bounds& bounds, const Trail& trail) {
  const std::vector<Instance> passed = followed(successors, trail);
  const auto at = numbers_of(passed, trail.violation.has_value());
  if (!at) return std::nullopt;
  Recorder recorder(successors, scenario, bounds);
  for (std::size_t i = 0; i < passed.size(); ++i) recorder.write(passed[i], (*at)[i]);
  return recorder.take(trail.silence);
}

}  // namespace lockproof::zones
