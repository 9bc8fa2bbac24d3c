// SPDX-License-Identifier: Apache-2.0
#include "sim/explore/state_space/hosts.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace lockproof::sim {

using harness::Event;
using harness::What;

Id Budgets::add(const std::vector<int>& counts) {
  StateEncoder into;
  for (const int n : counts) into.number(n);
  const auto [id, is_new] = interner_.add(into.take());
  if (is_new) {
    counts_.push_back(counts);
    used_.push_back(std::accumulate(counts.begin(), counts.end(), 0));
  }
  return id;
}

namespace {

/// A command's number becomes how many were sent after it, as a negative number. `last_sent`: the client's own numbers.
void count_back(Event& e, bool of_client, const std::map<int, int>& last_sent) {
  const bool lost_here = e.what == What::drop && !of_client;
  if (e.what == What::execute || lost_here) {
    e.message += 1;
  } else if (e.what == What::send || e.what == What::drop) {
    const auto last = last_sent.find(e.peer);
    e.message = of_client && last != last_sent.end() ? e.message - last->second : 0;
  }
}

/// Events whose contents no monitor reads.
bool says_only_when(What what) {
  return what == What::receive || what == What::discard || what == What::time_out || what == What::end ||
         what == What::push || what == What::broken || what == What::refused;
}

Event just(What what, harness::HostIndex host) {
  Event event{.what = what};
  event.host = host;
  return event;
}

}  // namespace

Id EventLists::end() {
  Event end = just(What::end, harness::no_host);
  end.word = "finished";
  return keep({std::move(end)}, false);
}

Id EventLists::add(std::vector<Event> events, int host, int clients, int scripted) {
  if (timed_) {
    for (Event& e : events) {
      if (says_only_when(e.what)) e = just(e.what, e.host);
    }
  } else {
    std::erase_if(events, [](const Event& e) { return says_only_when(e.what) || e.what == What::heal; });
  }
  std::map<int, int> last_sent;  // to each server
  for (const Event& e : events) {
    if (e.what == What::send) last_sent[e.peer] = e.message;
  }
  bool promised = false;
  for (Event& e : events) {
    if (e.what == What::granted) promised = !e.left || e.left->time > Duration{};
    e.at = {};
    e.clocks = {};
    if (!keeps_left_) e.left.reset();
    e.round = e.attempt = 0;
    if (e.fault > scripted) e.fault = 0;
    count_back(e, host < clients, last_sent);
  }
  return keep(std::move(events), promised);
}

Id EventLists::losses(int client, int server, const std::vector<int>& distances) {
  std::vector<Event> events;
  for (const int distance : distances) {
    Event lost{.what = What::drop};
    lost.host = client;
    lost.peer = server;
    lost.message = -distance;
    lost.word = "request";
    events.push_back(std::move(lost));
  }
  return keep(std::move(events), false);
}

Id EventLists::rewritten(Id id, const std::function<void(Event&)>& rewrite) {
  std::vector<Event> events = lists_[id];
  for (Event& event : events) rewrite(event);
  return keep(std::move(events), promised_[id]);
}

Id EventLists::keep(std::vector<Event> events, bool promised) {
  StateEncoder into;
  bool enters = false, contends = false, asks = false;
  for (const Event& e : events) {
    into.number(static_cast<std::int64_t>(e.what));
    into.number(e.host);
    into.number(e.peer);
    into.number(e.message);
    into.number(e.fault);
    into.text(e.word);
    const bool counts = e.value && (e.what == What::granted || e.what == What::released);
    into.number(counts ? *e.value : -1);  // how often the client holds the lock now
    into.number(e.fence ? *e.fence * 2 : 1);
    into.number(e.error ? static_cast<std::int64_t>(*e.error) : -1);
    into.number(static_cast<std::int64_t>(e.effects.size()));
    for (const harness::Effect& effect : e.effects) {
      into.number(static_cast<std::int64_t>(effect.change));
      into.text(effect.key);
    }
    into.number(e.left ? e.left->time.count() * 2 : 1);
    if (e.left) into.text(e.left->clock);
    if (timed_) {
      into.number(e.what == What::strike && e.value ? *e.value : 0);  // how far a clock jumps, how fast it runs
      for (const harness::Effect& effect : e.effects) into.number(effect.ttl ? effect.ttl->count() : -1);
    }
    // A copy of everything, or one command.
    if (e.what == What::replicate) into.number(e.command->verb() == "FULLRESYNC");
    const bool at_resource = e.command && (e.command->verb() == "READ" || e.command->verb() == "WRITE");
    if (at_resource) into.command(*e.command, 0);
    if (at_resource && e.reply) into.reply(*e.reply, 0);
    enters |= e.what == What::enter;
    contends |= e.what == What::busy;
    asks |= e.what == What::attempt;
    if (e.what == What::strike && e.fault > 0) struck_.insert(e.fault);
  }
  into.number(promised);
  const auto [id, is_new] = interner_.add(into.take());
  if (is_new) {
    promised_.push_back(promised);
    lists_.push_back(std::move(events));
    enters_.push_back(enters);
    contends_.push_back(contends);
    asks_.push_back(asks);
  }
  return id;
}

Host::Host(Shared& shared, std::size_t site)
    : shared_(shared), site_(site), scenario_(IsolatedHost::alone(shared.scenario, site)) {
  IsolatedHost cell(scenario_, shared_.bounds, shared_.models, shared_.sites, site_);
  add(cell, 0, {});
}

/// The state before the time that has passed last, and that time: one isolated host can serve both states, by advancing
/// its clock.
std::pair<Id, Duration> Host::since(Id state) const {
  Duration passed{};
  for (; state != 0 && states_[state].input.kind == Input::Kind::age; state = states_[state].parent) {
    passed += states_[state].input.by;
  }
  return {state, passed};
}

/// The isolated host of the state: the live one, if it still exists.
Host::Live Host::made(Id state) {
  const auto [start, passed] = since(state);
  const auto known = live_.find(start);
  Live live = known == live_.end() ? Live{reexecuted(start), {}} : std::move(known->second);
  if (known != live_.end()) live_.erase(known);
  live.cell->feed({.kind = Input::Kind::age, .by = passed - std::exchange(live.passed, passed)});
  return live;
}

std::unique_ptr<IsolatedHost> Host::reexecuted(Id state) const {
  std::vector<const Input*> inputs;
  for (; state != 0; state = states_[state].parent) inputs.push_back(&states_[state].input);
  auto cell = std::make_unique<IsolatedHost>(scenario_, shared_.bounds, shared_.models, shared_.sites, site_);
  for (auto input = inputs.rbegin(); input != inputs.rend(); ++input) {
    cell->feed(**input);
    if ((*input)->kind != Input::Kind::age) (void)cell->take_output();
  }
  return cell;
}

/// Isolated hosts in equal states are interchangeable.
void Host::keep(Id state, Live live) {
  if (live_.try_emplace(state, std::move(live)).second) oldest_.push_back(state);
  while (oldest_.size() > most_live) {
    live_.erase(oldest_.front());
    oldest_.pop_front();
  }
}

Id Host::add(IsolatedHost& cell, Id parent, Input input) {
  Traits traits = cell.traits(shared_.offsets);
  shared_.wall_was_read |= cell.wall_was_read();
  const auto [id, is_new] = interner_.add(traits.encoding);
  if (is_new) {
    traits.encoding.clear();
    Glance glance{.due = traits.due, .tokens = bits_of(traits.names), .locals = traits.locals, .alone = traits.alone};
    glance.holds = !traits.held.empty();
    for (const int place : traits.arrives) {
      if (place >= 0)
        glance.arrivals |= std::uint32_t{1} << shared_.sites.servers_of(site_)[static_cast<std::size_t>(place)];
    }
    glance.shape = shared_.shapes.add(std::exchange(traits.shape, {})).first;
    glances_.push_back(glance);
    states_.push_back({parent, std::move(input)});
    traits_.push_back(std::move(traits));
  }
  return id;
}

Id Host::aged(Id state, Duration by) {
  const Key128 key{static_cast<std::uint64_t>(by.count()), state};
  const Id known = ages_.find(key);
  if (known != FlatMap::none) return known;
  ++computed_;
  Live live = made(state);
  Input input{.kind = Input::Kind::age, .by = by};
  live.cell->feed(input);
  live.passed += by;
  const Id id = add(*live.cell, state, std::move(input));
  ages_.insert(key, id);
  keep(since(state).first, std::move(live));
  return id;
}

Id Host::after(Id state, Input input) {
  if (input.kind == Input::Kind::age) return aged(state, input.by);
  ++computed_;
  std::unique_ptr<IsolatedHost> cell = made(state).cell;
  cell->feed(input);
  (void)cell->take_output();
  const Id id = add(*cell, state, std::move(input));
  if (since(id).first == id) keep(id, {std::move(cell), {}});
  return id;
}

PostedMessage Host::numbered(const Posted& posted) const {
  const Id letter = shared_.letters.add(posted.letter);
  const auto way = static_cast<std::uint64_t>(posted.way.count());
  const Id parts[] = {letter, static_cast<Id>(posted.slot), static_cast<Id>(posted.distance), static_cast<Id>(way),
                      static_cast<Id>(way >> 32)};
  return {shared_.posted.add(parts).first, posted.peer,  posted.slot, {letter, posted.distance, {}}, posted.way,
          posted.letter.refused,           posted.server};
}

/// In one list, or in one more than there are consequences.
void Host::keep_events(Output& out, Outcome& outcome) const {
  std::vector<Event>& events = out.events;
  const auto add = [&](std::size_t from, std::size_t to) {
    const auto at = [&](std::size_t place) {
      return std::make_move_iterator(events.begin() + static_cast<std::ptrdiff_t>(place));
    };
    return shared_.events.add(std::vector<Event>(at(from), at(to)), static_cast<int>(site_),
                              static_cast<int>(shared_.scenario.clients.size()),
                              static_cast<int>(shared_.scenario.faults.size()));
  };
  const std::vector<Consequence>& all = out.consequences;
  outcome.events = add(0, all.empty() ? events.size() : all.front().noted);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t next = i + 1 < all.size() ? all[i + 1].noted : events.size();
    outcome.consequences.push_back({all[i], add(all[i].noted, next)});
  }
}

const std::vector<Outcome>& Host::step(Id state, const Key128& key, const Input& input) {
  const Id known = steps_.find(key);
  if (known != FlatMap::none) return outcomes_[known];
  const Key128 with_any_budget{key.high & ~budget_bits, key.low};
  Id tree = trees_.find(with_any_budget);
  if (tree == FlatMap::none) {
    tree = static_cast<Id>(answers_.size());
    trees_.insert(with_any_budget, tree);
    answers_.emplace_back(shared_.bounds);
  }
  std::vector<Outcome> outcomes;
  const auto show = [&](const Choices& answers, std::size_t leaf) {
    outcomes.push_back(leaves_[leaf].outcome);
    outcomes.back().answers = answers;
    std::vector<int> counts = input.budget;
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += leaves_[leaf].used[i];
    outcomes.back().budget = shared_.budgets.add(counts);
  };
  const auto run = [&](const Choices& choices) { return this->run(state, input, choices); };
  answers_[tree].each(input.budget, run, show);
  steps_.insert(key, static_cast<Id>(outcomes_.size()));
  outcomes_.push_back(std::move(outcomes));
  return outcomes_.back();
}

Answers::Run Host::run(Id state, const Input& input, const Choices& choices) {
  ++computed_;
  Input tried = input;
  tried.choices = choices;
  std::unique_ptr<IsolatedHost> cell = made(state).cell;
  Answers::Run run{cell->feed_and_listen(tried), leaves_.size()};
  Output out = cell->take_output();
  tried.choices = cell->chooser().path();
  tried.drawn = cell->drawn();
  Leaf leaf{{}, std::move(out.budget)};
  for (std::size_t i = 0; i < leaf.used.size(); ++i) leaf.used[i] -= input.budget[i];
  Outcome& outcome = leaf.outcome;
  keep_events(out, outcome);
  shared_.of_budget.insert(out.struck.begin(), out.struck.end());
  for (const Posted& posted : out.posted) outcome.posted.push_back(numbered(posted));
  outcome.asks = cell->chooser().asked_at_once();
  outcome.buffered = out.buffered;
  outcome.sent = std::move(out.sent);
  outcome.resets = std::move(out.resets);
  outcome.severed = std::move(out.severed);
  outcome.closed = std::move(out.closed);
  outcome.opened = std::move(out.opened);
  outcome.state = add(*cell, state, std::move(tried));
  if (since(outcome.state).first == outcome.state) keep(outcome.state, {std::move(cell), {}});
  leaves_.push_back(std::move(leaf));
  return run;
}

Id Host::quiet_step(Id state, const Key128& key, const Input& input) {
  const std::vector<Outcome>& outcomes = step(state, key, input);
  if (outcomes.size() != 1 || !outcomes[0].posted.empty() || !outcomes[0].sent.empty())
    throw std::logic_error("a quiet step was not quiet");
  return outcomes[0].state;
}

}  // namespace lockproof::sim
