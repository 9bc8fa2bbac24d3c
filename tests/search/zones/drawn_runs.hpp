// SPDX-License-Identifier: Apache-2.0
// Random runs of the simulator within the bounds of a search, and their events in the words of a search by zones.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/scenario/fault_table.hpp"
#include "search/core/contention.hpp"
#include "search/zones/successors.hpp"
#include "sim/kernel/choosers.hpp"
#include "sim/world/world.hpp"

namespace lockproof::zones {

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

using Form = Event::Fault;

struct DrawnRun {
  harness::Scenario scenario;
  std::vector<Form> forms{};  // of each fault

  /// Those that hold from the beginning.
  [[nodiscard]] std::vector<Form> from_start() const {
    std::vector<Form> all;
    for (std::size_t i = 0; i < forms.size(); ++i) {
      if (scenario.faults[i].kind == harness::FaultKind::clock_rate) all.push_back(forms[i]);
    }
    return all;
  }
};

/// The scenario with random faults, by time or by an event, and random instants at which clients ask.
class Draw {
 public:
  Draw(const harness::Scenario& searched, const harness::Bounds& bounds, std::uint64_t seed)
      : bounds_(bounds), bits_(seed), run_{sim::as_written(searched)} {
    for (std::size_t i = 0; i < run_.scenario.faults.size(); ++i) run_.forms.emplace_back(bounds.budget.size() + i, 0);
    run_.scenario.horizon = seconds(60);
    run_.scenario.seed = seed;
  }

  DrawnRun take() {
    for (const harness::ClientSpec& client : run_.scenario.clients) ask(client);
    const auto faults = static_cast<int>(bits_.below(static_cast<std::uint64_t>(bounds_.max_faults) + 1));
    for (int i = 0; i < faults; ++i) strike();
    return std::move(run_);
  }

 private:
  Duration instant(Duration most) {
    const Duration any(static_cast<std::int64_t>(bits_.below(static_cast<std::uint64_t>(most.count()))));
    return bits_.below(2) == 0 ? any : std::chrono::floor<milliseconds>(any);  // ties are met, too
  }
  void ask(const harness::ClientSpec& client) {
    std::vector<Duration> asks(40);
    for (Duration& ask : asks) ask = instant(seconds(12));
    std::ranges::sort(asks);
    int number = 0;
    for (int round = 1; round <= client.plan.rounds; ++round, number = 0) {
      for (const Duration ask : asks) {
        EventName name{.kind = EventName::Kind::ask, .actor = client.name, .peer = {}, .verb = {}};
        name.occurrence = ++number;
        name.round = round;
        run_.scenario.steps.push_back({.event = std::move(name), .takes = std::nullopt, .at = ask});
      }
    }
  }
  void strike() {
    using harness::FaultKind;
    const std::size_t entry = bits_.below(bounds_.budget.size());
    const auto drawn = std::ranges::count(run_.forms, entry, &Form::first);
    if (drawn >= bounds_.budget[entry].most) return;
    std::size_t form = bits_.below(bounds_.budget[entry].forms.size());
    while (bounds_.budget[entry].forms[form].delay != Duration{}) --form;  // it is an instant of its own here
    harness::Fault fault = bounds_.budget[entry].forms[form];
    if (fault.least) {
      Duration& amount = fault.kind == FaultKind::delay ? fault.by : fault.lasts;
      if (bits_.below(2) == 0) amount = *fault.least + instant(amount - *fault.least + Duration(1));
      if (amount == Duration{}) amount = Duration(1);
      fault.least.reset();
    }
    const bool of_message = harness::row_of(fault.kind).of_message;
    if (fault.kind == FaultKind::partition) fault.peer = fault.peer.empty() ? peer(fault) : "";
    if (fault.kind == FaultKind::break_connection) fault.peer = peer(fault);
    const bool of_server = fault.target == run_.scenario.servers.front().name;
    const bool by_time = fault.kind == FaultKind::partition || fault.kind == FaultKind::clock_jump ||
                         !harness::strikes_clients(harness::row_of(fault.kind));
    if (fault.kind == FaultKind::clock_rate) {
      fault.at = Duration{};
    } else if (!of_message && (by_time || bits_.below(3) > 0)) {
      fault.at = instant(seconds(9));
    } else {
      fault.when = place(fault);
      if (of_server) fault.when->moment = harness::EventPlace::Moment::after;
    }
    run_.scenario.faults.push_back(std::move(fault));
    run_.forms.emplace_back(entry, form);
  }
  std::string peer(const harness::Fault& fault) {
    const auto& clients = run_.scenario.clients;
    const bool of_client = std::ranges::find(clients, fault.target, &harness::ClientSpec::name) != clients.end();
    if (!of_client) return clients[bits_.below(clients.size())].name;
    return bits_.below(2) == 0 ? "resource" : run_.scenario.servers.front().name;
  }
  [[nodiscard]] std::vector<std::string> verbs() const {
    switch (run_.scenario.algorithm->service) {
      case Service::memcached: return {"add", "delete", "gets", "cas"};
      case Service::postgres: return {"take-row", "give-row"};
      default: return {"SET", "compare-and-delete", "DEL", "SETNX", "EXPIRE", "GET"};
    }
  }
  harness::EventPlace place(const harness::Fault& fault) {
    using harness::FaultKind;
    const bool of_message = harness::row_of(fault.kind).of_message;
    const bool of_server = fault.target == run_.scenario.servers.front().name;
    const bool at_server = fault.kind == FaultKind::break_connection || of_server;
    std::vector<std::string> acts = verbs();
    if (fault.kind != FaultKind::retry) acts.insert(acts.end(), {"READ", "WRITE"});
    if (!of_message && !at_server) acts.insert(acts.end(), {"enter", "exit"});
    harness::EventPlace when;
    when.actor = fault.target;
    when.verb = acts[bits_.below(acts.size())];
    if (of_message) when.occurrence = 1 + static_cast<int>(bits_.below(2));
    if (!at_server || of_server) return when;
    when.actor = fault.peer;
    when.client = fault.target;
    if (bits_.below(2) == 0) when.moment = harness::EventPlace::Moment::after;
    return when;
  }

  const harness::Bounds& bounds_;
  sim::RandomBits bits_;
  DrawnRun run_;
};

/// The events of a run that are events of a search. A message that reaches a paused client is heard when that wakes.
class Translation {
 public:
  /// `entries`: of the budget; what else strikes the scenario has placed itself.
  Translation(const DrawnRun& drawn, std::size_t entries)
      : run_(drawn.scenario), forms_(drawn.forms), entries_(entries), pauses_(run_.clients.size() + 1, 0),
        gone_(run_.clients.size(), false) {}

  std::vector<Done> events() {
    Watcher watcher(run_.seed);
    sim::World world(run_, watcher, {.token_name = {}});
    std::size_t seen = 0;
    while (world.step()) {
      std::optional<Done> done;
      const std::vector<harness::Event>& all = world.history().events;
      if (watcher.last) {
        const bool heard = all.size() > seen;  // what comes over a closed connection shows nowhere
        done = named(*std::exchange(watcher.last, std::nullopt), world, heard);
      }
      heal(world.now());
      for (; seen < all.size(); ++seen) {
        if (all[seen].what == harness::What::strike) strike(all[seen], done);
      }
      if (!done) continue;
      std::ranges::sort(done->event.marks);
      all_.push_back(*done);
    }
    history = world.take_history();
    return std::move(all_);
  }
  harness::History history;

 private:
  std::optional<std::size_t> client(const std::string& name) const {
    const auto found = std::ranges::find(run_.clients, name, &harness::ClientSpec::name);
    if (found == run_.clients.end()) return std::nullopt;
    return static_cast<std::size_t>(found - run_.clients.begin());
  }
  const harness::Fault& fault(int number) const { return run_.faults[static_cast<std::size_t>(number - 1)]; }
  std::optional<Done> named(const EventName& name, const sim::World& world, bool heard) {
    using Kind = EventName::Kind;
    if (name.verb == "disconnect") return std::nullopt;  // a session without a transaction has nothing to end
    switch (name.kind) {
      case Kind::fault: return std::nullopt;  // told by the history
      case Kind::heal: {
        const harness::FaultKind kind = fault(name.occurrence).kind;
        if (harness::row_of(kind).action == harness::FaultRow::Action::take_down)
          return Done{{Event::Kind::wake, run_.clients.size() + 1}, world.now()};
        if (!harness::stands_still(kind)) return std::nullopt;
        const std::size_t of = client(fault(name.occurrence).target).value_or(run_.clients.size());
        if (is_gone(of) || --pauses_[of] > 0) return std::nullopt;
        return Done{{Event::Kind::wake, of}, world.now()};
      }
      case Kind::ask: return Done{{Event::Kind::ask, *client(name.actor)}, world.now()};
      case Kind::timer:
        if (name.verb == "unblocks") return Done{{Event::Kind::count}, world.now()};
        return Done{{Event::Kind::step, *client(name.actor)}, world.now()};
      case Kind::time_out: return Done{{Event::Kind::time_out, *client(name.actor)}, world.now()};
      case Kind::resend: return Done{{Event::Kind::resend, *client(name.actor)}, world.now()};
      case Kind::serve: return Done{{Event::Kind::serve, *client(name.peer)}, world.now()};
      default: break;
    }
    if (const auto sender = client(name.actor)) return Done{{Event::Kind::request, *sender}, world.now()};
    const std::size_t receiver = *client(name.peer);
    if (pauses_[receiver] > 0 || gone_[receiver] || !heard) return std::nullopt;
    return Done{{Event::Kind::reply, receiver}, world.now()};
  }
  /// A partition ends before all that happens at that instant.
  void heal(Duration now) {
    for (std::size_t i = 0; i < cuts_.size();) {
      if (cuts_[i] > now) {
        ++i;
        continue;
      }
      all_.push_back({{Event::Kind::heal, i}, cuts_[i]});
      cuts_.erase(cuts_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  /// A fault by time is an event of its own; another one is part of the event that it was placed in.
  void strike(const harness::Event& event, std::optional<Done>& done) {
    using harness::FaultKind;
    const harness::Fault& struck = fault(event.fault);
    const Form form = forms_[static_cast<std::size_t>(event.fault - 1)];
    const auto of = client(struck.target);
    if (struck.kind == FaultKind::partition) cuts_.push_back(event.at + struck.lasts);
    if (struck.kind == FaultKind::clock_rate) return;
    if (harness::stands_still(struck.kind)) ++pauses_[of.value_or(run_.clients.size())];
    if (struck.kind == FaultKind::crash || struck.kind == FaultKind::kill_task) gone_[*of] = true;
    if (struck.kind == FaultKind::resend || struck.kind == FaultKind::retry) {
      done->event.late = form;
      return;
    }
    if (done && form.first >= entries_) {
      done->event.placed.push_back(form);
      return;
    }
    if (done && harness::row_of(struck.kind).of_message) {
      done->event.marks.push_back(form);
      return;
    }
    const auto holds_it_up = [&](const Form& known) {
      const harness::Fault& one = run_.faults[known.first - entries_];
      return harness::stands_still(one.kind) && one.target == struck.target;
    };
    const bool is_held = done && std::ranges::any_of(done->event.placed, holds_it_up);
    if (done && (done->event.fault || is_held)) {  // another one at the same place strikes by itself
      all_.push_back(*done);
      done.reset();
    }
    if (!done) {
      done = Done{{Event::Kind::strike, of.value_or(0)}, event.at};
      if (!struck.peer.empty()) done->event.peer = number_of(struck.peer);
    } else {
      done->event.after = struck.when->moment == harness::EventPlace::Moment::after;
    }
    done->event.fault = form;
  }
  bool is_gone(std::size_t client) const { return client < gone_.size() && gone_[client]; }
  std::size_t number_of(const std::string& peer) const {
    if (peer == "resource") return run_.clients.size() + 1;
    return client(peer).value_or(run_.clients.size());
  }

  const harness::Scenario& run_;
  const std::vector<Form>& forms_;
  const std::size_t entries_;
  std::vector<int> pauses_;
  std::vector<bool> gone_;
  std::vector<Duration> cuts_;  // until when
  std::vector<Done> all_;
};

}  // namespace lockproof::zones
