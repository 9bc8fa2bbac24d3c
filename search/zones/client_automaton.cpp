// SPDX-License-Identifier: Apache-2.0
#include "search/zones/client_automaton.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "sim/world/state_encoder.hpp"

namespace lockproof::zones {
namespace {

using harness::Life;

/// Calls `see` with each instant of the life and the lock, as a reference, in a fixed order.
template <class Visit>
void each_instant(Life& life, lockproof::State& lock, const Visit& visit) {
  const auto in_deadline = [&](Deadline& deadline) {
    std::visit(
        [&](auto& instant) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(instant)>, std::monostate>) visit(instant);
        },
        deadline);
  };
  if (life.worker_due) visit(*life.worker_due);
  if (life.give_up) visit(*life.give_up);
  if (life.watchdog_due) visit(*life.watchdog_due);
  for (auto* grant : {&life.grant, &life.doubt}) {
    if (*grant) in_deadline((*grant)->deadline);
  }
  for (auto& field : lock) {
    std::visit(
        [&](auto& value) {
          using Type = std::decay_t<decltype(value)>;
          if constexpr (std::is_same_v<Type, Wall> || std::is_same_v<Type, Mono> || std::is_same_v<Type, Boot>) {
            visit(value);
          }
        },
        field);
  }
}

/// Between two numbers of this span apart an encoder tells all instants from each other, and none from `never`.
constexpr std::int64_t encoded_span = std::int64_t{1} << 50;

struct Encoding {
  std::string bytes;
  std::uint64_t tokens;
};

/// `number_of`: a number for each name.
template <class NumberOf>
Encoding encoded(Life life, lockproof::State lock, const NumberOf& number_of) {
  each_instant(life, lock, [&](auto& instant) {
    const std::int64_t number = InstantAccess::us(instant);
    if (!is_named(number)) return;
    const NamedInstant named = named_from(number);
    instant =
        InstantAccess::make<std::decay_t<decltype(instant)>>((number_of(named.name) + 1) * encoded_span + named.us);
  });
  sim::StateEncoder encoder;
  encoder.life(life, {});
  encoder.lock(lock, {});
  const std::uint64_t tokens = sim::bits_of(encoder.names());
  return {encoder.take(), tokens};
}

/// The names that the state at rest still refers to, each once. An instant that its encoding leaves out does not
/// matter any more.
std::vector<int> names_of(Life life, lockproof::State lock) {
  std::vector<int> all;
  each_instant(life, lock, [&](auto& instant) {
    const std::int64_t number = InstantAccess::us(instant);
    if (!is_named(number)) return;
    const int name = named_from(number).name;
    if (std::ranges::find(all, name) == all.end()) all.push_back(name);
  });
  std::erase_if(all, [&](int name) {
    const auto with = [&](std::int64_t number) {
      return encoded(life, lock, [&](int of) { return of == name ? number : 0; }).bytes;
    };
    return with(1) == with(2);
  });
  return all;
}

std::size_t place_of(const std::vector<int>& handles, int name) {
  const auto found = std::ranges::find(handles, name);
  if (found == handles.end()) throw std::logic_error("a client looks at an instant whose name was dropped");
  return static_cast<std::size_t>(found - handles.begin());
}

std::optional<NamedInstant> deadline_of(const Grant& grant) {
  std::optional<NamedInstant> deadline;
  std::visit(
      [&](const auto& instant) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(instant)>, std::monostate>) {
          deadline = named_from(InstantAccess::us(instant));
        }
      },
      grant.deadline);
  return deadline;
}

}  // namespace

ClientAutomaton::ClientAutomaton(const harness::Scenario& scenario, std::size_t client, Payloads& payloads,
                                 sim::EventLists& events)
    : scenario_(scenario), client_(client), payloads_(payloads), events_(events) {}

Id ClientAutomaton::events_of(const HostRun& run) {
  const auto clients = static_cast<int>(scenario_.clients.size());
  return events_.add(run.events(), static_cast<int>(client_), clients, 0);
}

const ClientAutomaton::Step& ClientAutomaton::begin() { return step(nobody, {}); }

const ClientAutomaton::Step& ClientAutomaton::step(Id state, const HostInput& input) {
  const auto known = steps_.find({state, input});
  if (known != steps_.end()) return known->second;
  return steps_.emplace(std::pair(state, input), work_out(state, input)).first->second;
}

ClientAutomaton::Step ClientAutomaton::work_out(Id from, const HostInput& input) {
  std::vector<HostInput> path{input};
  for (Id state = from; state != nobody; state = states_[state].parent) path.push_back(states_[state].input);
  std::ranges::reverse(path);
  HostRun run(scenario_, client_);
  ++runs_;
  int segment = -1;
  for (auto at = path.begin(); at != path.end();) {
    const auto answered =
        std::find_if(at + 1, path.end(), [](const HostInput& next) { return next.kind != HostInput::Kind::order; });
    const Reply* reply = at->kind == HostInput::Kind::reply ? &payloads_.reply(at->reply) : nullptr;
    run.feed(*at, reply, {at + 1, answered});
    ++segment;
    at = answered;
  }
  Record record{.parent = from, .input = input};
  if (from != nobody) {
    record.handles = states_[from].handles;
    record.traits.tokens = states_[from].traits.tokens;
  }
  const HostAct& act = run.act();
  if (act.kind != HostAct::Kind::question && run.rests()) return at_rest(run, std::move(record), segment);
  if (act.kind != HostAct::Kind::question && run.spread() != Duration{}) throw UnsuitedCode("a jitter within a step");

  const std::vector<int> before = record.handles;
  State& traits = record.traits;
  if (input.kind == HostInput::Kind::reply) traits.tokens |= payloads_.tokens_of_reply(input.reply);
  traits.tokens |= static_cast<std::uint64_t>(run.drawn()) << (client_ * sim::token_names);
  traits.act = act.kind;
  traits.round = run.life().round;
  traits.is_interested = run.life().interested();
  if (act.kind == HostAct::Kind::question) {
    traits.one = local(act.one, before, segment);
    traits.other = local(act.other, before, segment);
  } else {
    for (const ReadClock clock : run.has_read()) record.handles.push_back(name_of(segment, clock));
  }
  if (act.kind == HostAct::Kind::call) {
    traits.command = payloads_.add(*act.command);
    traits.of_resource = act.of_resource;
  }
  traits.before = act.before;
  traits.is_inside = run.life().inside();
  if (traits.is_inside) {
    if (const auto deadline = deadline_of(*run.life().grant))
      traits.deadline = local(*deadline, record.handles, segment);
  }
  Step step;
  if (act.kind != HostAct::Kind::question) step.events = events_of(run);
  for (const int handle : record.handles) {
    step.names.push_back(segment_of(handle) == segment ? begins : static_cast<int>(place_of(before, handle)));
  }
  step.state = add(std::move(record), "");
  return step;
}

/// The names of a state at rest are those that its encoding mentions, in the order in which it does.
ClientAutomaton::Step ClientAutomaton::at_rest(const HostRun& run, Record record, int segment) {
  const Life& life = run.life();
  const std::vector<int> before = std::exchange(record.handles, names_of(life, run.lock_state()));
  Step step{.events = events_of(run)};
  for (const int handle : record.handles) {
    step.names.push_back(segment_of(handle) == segment ? begins : static_cast<int>(place_of(before, handle)));
  }
  const auto number_of = [&](int handle) {
    const auto found = std::ranges::find(record.handles, handle);
    return static_cast<std::int64_t>(found - record.handles.begin());
  };
  Encoding encoding = encoded(life, run.lock_state(), number_of);
  State& traits = record.traits;
  traits.rests = true;
  traits.tokens = encoding.tokens;
  traits.wants = life.wants();
  traits.is_over = life.phase == harness::Phase::done || life.phase == harness::Phase::gave_up;
  traits.is_inside = life.inside();
  traits.is_interested = life.interested();
  traits.round = life.round;
  if (life.worker_due && !traits.is_over) {
    traits.due = local(named_from(InstantAccess::us(*life.worker_due)), record.handles, segment + 1);
    traits.spread = run.spread();
    encoding.bytes += std::to_string(run.spread().count());
    Life without = life;
    without.worker_due.reset();
    const std::vector<int> others = names_of(without, run.lock_state());
    const int handle = record.handles[static_cast<std::size_t>(traits.due->name)];
    // The step from the start counts from there until when it asks for the first time.
    const bool counts_from_it = life.round == 0 && scenario_.clients[client_].plan.start_latest;
    traits.due_is_alone = !counts_from_it && std::ranges::find(others, handle) == others.end();
  }
  if (traits.is_inside) {
    if (const auto deadline = deadline_of(*life.grant)) traits.deadline = local(*deadline, record.handles, segment + 1);
  }
  step.state = add(std::move(record), std::move(encoding.bytes));
  return step;
}

/// A name of the state, or the instant of this segment.
NamedInstant ClientAutomaton::local(const NamedInstant& instant, const std::vector<int>& handles, int segment) const {
  const auto found = std::ranges::find(handles, instant.name);
  if (found == handles.end() && segment_of(instant.name) == segment) return {begins, instant.us};
  return {static_cast<int>(place_of(handles, instant.name)), instant.us};
}

Id ClientAutomaton::add(Record record, std::string encoding) {
  record.traits.names.clear();
  for (const int handle : record.handles) record.traits.names.push_back(clock_of(handle));
  const auto next = static_cast<Id>(states_.size());
  if (record.traits.rests) {
    const auto [id, is_new] = resting_.add(std::move(encoding));
    if (!is_new) return of_resting_[id];
    of_resting_.push_back(next);
  }
  states_.push_back(std::move(record));
  return next;
}

}  // namespace lockproof::zones
