// SPDX-License-Identifier: Apache-2.0
#include "search/zones/recorder.hpp"

#include <algorithm>

#include "harness/scenario/fault_table.hpp"
#include "harness/scenario/names.hpp"
#include "search/core/contention.hpp"
#include "sim/kernel/choosers.hpp"
#include "sim/world/world.hpp"

namespace lockproof::zones {

using harness::EventName;
using harness::FaultKind;
using Kind = Event::Kind;

namespace {

bool is_expected(const Follower::ExpectedEvent& expected, const EventName& name) {
  const bool is_message = name.kind == EventName::Kind::message;
  switch (expected.kind) {
    case Kind::begin: return false;
    case Kind::step: return name.kind == EventName::Kind::timer && name.actor == expected.client;
    case Kind::ask: return name.kind == EventName::Kind::ask && name.actor == expected.client;
    case Kind::request:
      return is_message && name.actor == expected.client && name.peer == expected.peer && name.verb == expected.verb;
    case Kind::serve:
      return name.kind == EventName::Kind::serve && name.peer == expected.client && name.verb == expected.verb;
    case Kind::count: return name.kind == EventName::Kind::timer && name.verb == "unblocks";
    case Kind::reply: return is_message && name.peer == expected.client && name.actor == expected.peer;
    case Kind::time_out: return name.kind == EventName::Kind::time_out && name.actor == expected.client;
    case Kind::resend: return name.kind == EventName::Kind::resend && name.actor == expected.client;
    case Kind::strike: return name.kind == EventName::Kind::fault && name.occurrence == expected.fault;
    case Kind::wake:
    case Kind::heal: return name.kind == EventName::Kind::heal && name.occurrence == expected.fault;
  }
  return false;
}

std::vector<bool> who_asks_freely(const harness::Scenario& scenario) {
  std::vector<bool> all;
  for (const harness::ClientSpec& client : scenario.clients) {
    all.push_back(client.plan.asking == harness::AskPolicy::freely);
  }
  return all;
}

}  // namespace

std::size_t Follower::first_of(std::size_t count, const sim::NameOf& name) {
  std::size_t chosen = 0;
  auto best = events.end();
  for (std::size_t i = 0; i < count; ++i) {
    const EventName candidate = name(i);
    const auto found =
        std::ranges::find_if(events, [&](const ExpectedEvent& expected) { return is_expected(expected, candidate); });
    if (found < best) best = found, chosen = i;
  }
  if (best != events.end()) events.erase(best);
  return chosen;
}

Duration Follower::duration(const harness::Window& window, Duration, const sim::NameOf& name) {
  const EventName message = name(0);
  if (message.verb == "disconnect") return window.most;  // of a connection that its client has closed
  auto& left = latencies[{message.actor, message.peer}];
  if (left.empty()) return window.most;
  const Duration first = left.front();
  left.erase(left.begin());
  return first;
}

Recorder::Recorder(const Successors& successors, const harness::Scenario& scenario, const harness::Bounds& bounds)
    : successors_(successors), bounds_(bounds), scenario_(sim::as_written(scenario)),
      asks_freely_(who_asks_freely(scenario)), clients_(scenario.clients.size()) {
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    harness::Plan& plan = scenario_.clients[i].plan;
    if (is_free(i) && plan.failed_attempts) plan.attempts = plan.failed_attempts;
    if (!is_free(i)) plan.start = plan.start_latest.value_or(plan.start);  // unless it starts before the end
    plan.start_latest.reset();
  }
  for (std::size_t i = 0; i < scenario_.faults.size(); ++i)
    number_of_[{bounds.budget.size() + i, 0}] = static_cast<int>(i) + 1;
  scenario_.explore.reset();
  scenario_.expect = {};
  scenario_.seed = 1;
}

/// How long a client waits that has drawn it: known when it goes on.
void Recorder::draw(const Place& before, const Place& after, Duration at) {
  for (std::size_t i = 0; i < before.clients.size(); ++i) {
    const Id was = before.clients[i].state, is = after.clients[i].state;
    if (was == is || before.clients[i].is_gone || after.clients[i].is_gone) continue;
    auto& drawn = follower_.latencies[{scenario_.clients[i].name, ""}];
    const ClientAutomaton::State &waited = state(i, was), &waits = state(i, is);
    if (waited.due && waited.spread != Duration{} && !drawn.empty()) {
      const Duration least(waited.due->us);
      drawn.back() = std::clamp(at - clients_[i].rests_at, least, least + waited.spread);
    }
    if (!waits.due || waits.spread == Duration{}) continue;
    drawn.push_back(Duration(waits.due->us) + waits.spread);
    clients_[i].rests_at = at;
  }
}

void Recorder::write(const Instance& passed, Duration at, std::optional<Duration> jump) {
  const auto& [event, before, after] = passed;
  for (const Event::Fault& form : event.kind == Kind::begin ? event.marks : std::vector<Event::Fault>()) {
    harness::Fault fault = form_of(form);
    fault.at = Duration{};
    add(form, std::move(fault));
  }
  if (event.kind != Kind::begin) draw(before, after, at);
  if (event.kind == Kind::ask) ask(event.client, before, at);
  if (event.kind == Kind::step && !is_free(event.client)) start(event.client, before, at);
  if (event.kind == Kind::ask && before.clients[event.client].server.is_reset &&
      !after.clients[event.client].server.is_reset)
    scenario_.clients[event.client].plan.connect = harness::ConnectTime::at_first_attempt;
  const Passage *held = nullptr, *run = nullptr;
  for (std::size_t i = before.passages.size(); i < after.passages.size(); ++i) {
    const Passage& passage = after.passages[i];
    if (passage.kind == Passage::Kind::struck) held = &passage;
    if (passage.kind == Passage::Kind::arrived) arrive(passage, at);
    if (passage.kind != Passage::Kind::run) continue;
    run = &passage;
    if (!passage.message.is_announced)
      ++runs_[{passage.client, sent_[passage.message.tag].round, verb_of(passage.message)}];
  }
  const int ended = event.kind == Kind::wake ? wake(pauses_of(event.client), at) : 0;  // another may begin at once
  for (const Event::Fault& form : event.placed) begin_fault(number_of_[form], at);
  if (event.fault && event.kind == Kind::strike) {
    strike_by_itself(passed, at);
    if (jump) scenario_.faults[static_cast<std::size_t>(number_of_[*event.fault] - 1)].by = *jump;
  } else if (event.fault) {
    strike_within(event, held, run, at);
  }
  expect(passed, at, ended);
  if (!held) count_held(before, after);
  for (std::size_t i = before.passages.size(); i < after.passages.size(); ++i) {
    const Passage& passage = after.passages[i];
    if (passage.kind != Passage::Kind::sent) continue;
    const bool is_first = passage.message.is_request() && event.kind != Kind::resend && !event.late;
    Client& client = clients_[passage.client];
    if (is_first) {
      const ClientAutomaton::State& then = state(passage.client, passage.state);
      const std::string verb(successors_.payloads().command(then.command).verb());
      const ClientPlace& was = before.clients[passage.client];
      const bool is_counted = was.is_held && !was.is_early && event.kind == Kind::wake;
      if (!is_counted) ++client.sends[{then.round, verb}];
      client.called_at = at;
      harness::EventPlace place = this->before(passage.client, passage.state);
      --place.occurrence;
      mark(event, place);
    }
    send(passage, static_cast<int>(i) + 1, at);
  }
  last_ = &after;
  violated_at_ = at;
}

/// Whoever starts behind a pause may have been due before.
void Recorder::start(std::size_t client, const Place& before, Duration at) {
  if (state(client, before.clients[client].state).round > 0) return;
  Duration& start = scenario_.clients[client].plan.start;
  start = std::min(start, at);
}

/// What the world must do first of all that is due. `ended`: the number of the pause that did.
void Recorder::expect(const Instance& passed, Duration at, int ended) {
  const auto& [event, before, after] = passed;
  if (event.kind == Kind::begin) return;
  const bool of_server = event.client >= clients_.size();
  Follower::ExpectedEvent expected{.kind = event.kind};
  if (!of_server) expected.client = scenario_.clients[event.client].name;
  const bool is_message = event.kind == Kind::request || event.kind == Kind::reply;
  for (std::size_t i = before.passages.size(); i < after.passages.size(); ++i) {
    const Passage& passage = after.passages[i];
    const bool is_served = event.kind == Kind::serve && passage.kind == Passage::Kind::run;
    if (is_served) expected.verb = verb_of(passage.message);
    if (passage.kind != Passage::Kind::arrived) continue;
    const std::string peer = host(passage.message.of_resource);
    if (is_message) expected.peer = peer;
    if (event.kind == Kind::request) expected.verb = verb_of(passage.message);
    if (event.kind == Kind::wake) follower_.events.push_back({Kind::reply, expected.client, peer});  // during the pause
  }
  if (event.kind == Kind::wake) expected.fault = ended;
  if (event.kind == Kind::heal) expected.fault = heal(event.client, at);
  if (event.kind == Kind::strike && event.fault) expected.fault = number_of_[*event.fault];
  if (event.late && form_of(*event.late).least && event.kind == Kind::resend) {
    scenario_.faults[static_cast<std::size_t>(number_of_[*event.late] - 1)].lasts =
        at - clients_[event.client].called_at;
  }
  follower_.events.push_back(std::move(expected));
}

int Recorder::add(Event::Fault form, harness::Fault fault) {
  if (is_placed(form)) return number_of_[form];
  fault.least.reset();
  fault.delay = {};
  scenario_.faults.push_back(std::move(fault));
  return number_of_[form] = static_cast<int>(scenario_.faults.size());
}

void Recorder::strike_by_itself(const Instance& passed, Duration at) {
  const Event& event = passed.event;
  harness::Fault fault = form_of(*event.fault);
  fault.at = at;
  if (fault.kind == FaultKind::partition || fault.kind == FaultKind::break_connection) {
    const std::size_t clients = clients_.size();
    fault.peer = "";
    if (event.peer)
      fault.peer = *event.peer < clients ? scenario_.clients[*event.peer].name : host(*event.peer > clients);
  }
  begin_fault(add(*event.fault, fault), at);
}

/// It strikes, and may have an end.
void Recorder::begin_fault(int number, Duration at) {
  const harness::Fault& fault = scenario_.faults[static_cast<std::size_t>(number - 1)];
  if (fault.kind == FaultKind::partition) cuts_.emplace_back(number, at);
  if (fault.kind == FaultKind::restart || fault.kind == FaultKind::power_cut) downs_.emplace_back(number, at);
  if (!harness::stands_still(fault.kind)) return;
  const auto client = std::ranges::find(scenario_.clients, fault.target, &harness::ClientSpec::name);
  const auto index = static_cast<std::size_t>(client - scenario_.clients.begin());
  pauses_of(index).emplace_back(number, at);
}

/// Whoever is paused as its command is about to leave has come to that.
void Recorder::count_held(const Place& before, const Place& after) {
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    const ClientPlace &was = before.clients[i], &is = after.clients[i];
    const bool has_come = is.is_held && !is.is_early && (!was.is_held || was.is_early);
    if (!has_come || state(i, is.state).act != HostAct::Kind::call) continue;
    const harness::EventPlace place = this->before(i, is.state);
    ++clients_[i].sends[{place.round, place.verb}];
  }
}

Recorder::Pauses& Recorder::pauses_of(std::size_t host) {
  if (host < clients_.size()) return clients_[host].pauses;
  return host == clients_.size() ? server_pauses_ : downs_;
}

/// Before what a client was about to do, or around the command that the server has run.
void Recorder::strike_within(const Event& event, const Passage* held, const Passage* run, Duration at) {
  harness::Fault fault = form_of(*event.fault);
  if (held) {
    fault.when = before(event.client, held->state);
    if (state(event.client, held->state).act == HostAct::Kind::call)
      ++clients_[event.client].sends[{fault.when->round, fault.when->verb}];
    return begin_fault(add(*event.fault, fault), at);
  }
  if (!run) return;
  harness::EventPlace when;
  when.actor = host(run->message.of_resource);
  if (fault.kind == FaultKind::break_connection) fault.peer = when.actor;
  when.moment = event.after ? harness::EventPlace::Moment::after : harness::EventPlace::Moment::before;
  when.verb = verb_of(run->message);
  when.client = scenario_.clients[run->client].name;
  when.round = sent_[run->message.tag].round;
  when.occurrence = runs_[{run->client, when.round, when.verb}];
  fault.when = when;
  begin_fault(add(*event.fault, fault), at);
}

void Recorder::mark(const Event& event, const harness::EventPlace& place) {
  for (const Event::Fault& form : event.marks) {
    harness::Fault fault = form_of(form);
    fault.when = place;
    add(form, std::move(fault));
  }
}

void Recorder::send(const Passage& passage, int tag, Duration at) {
  const Message& message = passage.message;
  const bool is_request = message.is_request();
  const std::string client = scenario_.clients[passage.client].name, other = host(message.of_resource);
  SentMessage sent{.at = at, .from = is_request ? client : other, .to = is_request ? other : client};
  if (is_request) {
    sent.round = state(passage.client, passage.state).round;
    if (message.late_by != 0) sent.late_by = number_of_[successors_.fault_with(message.late_by)];
  } else if (message.late_answer != 0) {
    sent.late_by = number_of_[successors_.fault_with(message.late_answer)];
  }
  auto& latencies = follower_.latencies[{sent.from, sent.to}];
  sent.place = latencies.size();
  if (passage.is_drawn) latencies.push_back(scenario_.network.latency.most);
  sent_[tag] = std::move(sent);
}

/// How much of its way is latency, and how much a delay: any that the ranges allow.
void Recorder::arrive(const Passage& passage, Duration at) {
  const SentMessage& sent = sent_[passage.message.tag];
  const harness::Window& window = scenario_.network.latency;
  const Duration whole = at - sent.at;
  Duration travel = std::clamp(whole, window.least, window.most);
  if (sent.late_by != 0) {
    harness::Fault& fault = scenario_.faults[static_cast<std::size_t>(sent.late_by - 1)];
    travel = std::clamp(whole - fault.by, window.least, window.most);
    fault.by = std::min(fault.by, whole - travel);
  }
  auto& latencies = follower_.latencies[{sent.from, sent.to}];
  if (passage.message.kind != Message::Kind::news && sent.place < latencies.size()) latencies[sent.place] = travel;
}

std::string Recorder::verb_of(const Message& request) const {
  return std::string(successors_.payloads().command(request.payload).verb());
}

void Recorder::ask(std::size_t client, const Place& before, Duration at) {
  const int round = state(client, before.clients[client].state).round;
  EventName name{.kind = EventName::Kind::ask, .actor = scenario_.clients[client].name, .peer = {}, .verb = {}};
  name.round = round;
  name.occurrence = ++clients_[client].asks[round];
  scenario_.steps.push_back({.event = std::move(name), .takes = std::nullopt, .at = at});
}

/// Where the client is about to do what its state says; the next one of that name.
harness::EventPlace Recorder::before(std::size_t client, Id id) const {
  const ClientAutomaton::State& at = state(client, id);
  harness::EventPlace when;
  when.actor = scenario_.clients[client].name;
  when.round = at.round;
  if (at.act != HostAct::Kind::call) {
    when.verb = harness::name(at.before);
    return when;
  }
  when.verb = successors_.payloads().command(at.command).verb();
  const auto known = clients_[client].sends.find({at.round, when.verb});
  when.occurrence = known == clients_[client].sends.end() ? 1 : known->second + 1;
  return when;
}

/// The last pause ends now, and the others not after it.
int Recorder::wake(Pauses& of, Duration at) {
  const Pauses pauses = std::exchange(of, {});
  for (const auto& [number, struck] : pauses) {
    Duration& lasts = scenario_.faults[static_cast<std::size_t>(number - 1)].lasts;
    lasts = std::min(lasts, at - struck);
  }
  return pauses.back().first;
}

int Recorder::heal(std::size_t cut, Duration at) {
  const auto [number, struck] = cuts_[cut];
  cuts_.erase(cuts_.begin() + static_cast<std::ptrdiff_t>(cut));
  scenario_.faults[static_cast<std::size_t>(number - 1)].lasts = at - struck;
  return number;
}

Recorder::Schedule Recorder::take(Duration silence) {
  const Duration later = std::chrono::ceil<std::chrono::seconds>(violated_at_) + silence + seconds(1);
  for (std::size_t i = 0; i < clients_.size(); ++i) {  // who does not ask before that does not in a run either
    const ClientPlace& at = last_->clients[i];
    if (!at.is_gone && state(i, at.state).wants) ask(i, *last_, later);
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

}  // namespace lockproof::zones
