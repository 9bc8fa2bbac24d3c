// SPDX-License-Identifier: Apache-2.0
#include "search/automata/executed_host.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace lockproof::sim {

using harness::Event;

ExecutedHost::ExecutedHost(SharedContext& shared, std::size_t site)
    : Host(shared), site_(site), most_live_(std::max<std::size_t>(1, shared.live_hosts / shared.kinds.count())),
      scenario_(IsolatedHost::alone(shared.scenario, site)), answers_(shared.bounds) {
  for (const harness::BudgetedFault& entry : shared.bounds.budget) used_up_.push_back(entry.most);
  IsolatedHost cell(scenario_, shared_.bounds, shared_.models, shared_.sites, site_);
  add(cell, 0, {});
}

/// The state before the time that has passed last, and that time: one isolated host can serve both states, by advancing
/// its clock.
std::pair<Id, Duration> ExecutedHost::since(Id state) const {
  Duration passed{};
  for (; state != 0 && is_aged(state); state = states_[state].parent) passed += states_[state].by;
  return {state, passed};
}

/// The isolated host of the state: the live one, if it still exists.
ExecutedHost::LiveHost ExecutedHost::made(Id state) {
  const auto [start, passed] = since(state);
  const auto known = live_.find(start);
  LiveHost live = known == live_.end() ? LiveHost{reexecuted(start), {}} : std::move(known->second);
  if (known != live_.end()) live_.erase(known);
  live.cell->feed({.kind = Input::Kind::age, .by = passed - std::exchange(live.passed, passed)});
  return live;
}

std::unique_ptr<IsolatedHost> ExecutedHost::reexecuted(Id state) const {
  std::vector<Id> way;
  for (; state != 0; state = states_[state].parent) way.push_back(state);
  auto cell = std::make_unique<IsolatedHost>(scenario_, shared_.bounds, shared_.models, shared_.sites, site_);
  shared_.runs += way.size();
  for (auto next = way.rbegin(); next != way.rend(); ++next) {
    if (is_aged(*next)) {
      cell->feed({.kind = Input::Kind::age, .by = states_[*next].by});
    } else {
      cell->feed(inputs_[states_[*next].input]);
      cell->drop_output();
    }
  }
  return cell;
}

/// Isolated hosts in equal states are interchangeable.
void ExecutedHost::keep(Id state, LiveHost live) {
  const HostNumber kept{state, ++last_kept_};
  live.kept = kept.number;
  if (!live_.try_emplace(state, std::move(live)).second) return;
  kept_.push_back(kept);
  const auto is_gone = [this](const HostNumber& one) {
    const auto known = live_.find(one.state);
    return known == live_.end() || known->second.kept != one.number;
  };
  for (; live_.size() > most_live_; kept_.pop_front()) {
    if (!is_gone(kept_.front())) live_.erase(kept_.front().state);
  }
  constexpr std::size_t most_gone = 3;  // for each that is live, so that the list stays short
  if (kept_.size() > (1 + most_gone) * most_live_) std::erase_if(kept_, is_gone);
}

Id ExecutedHost::add(IsolatedHost& cell, Id parent, Input input) {
  Traits traits = cell.traits(shared_.detail);
  shared_.clocks_read = std::max(shared_.clocks_read, cell.clocks_read());
  const auto [id, is_new] = interner_.add(std::exchange(traits.encoding, {}));
  if (!is_new) return id;
  Summary summary{.due = traits.due, .tokens = bits_of(traits.names), .locals = traits.locals, .alone = traits.alone};
  summary.holds = !traits.held.empty();
  for (const int place : traits.arrives) {
    if (place < 0) continue;
    summary.arrivals |= std::uint32_t{1} << shared_.sites.servers_of(site_)[static_cast<std::size_t>(place)];
  }
  summary.shape = shared_.shapes.add(std::exchange(traits.shape, {})).first;
  const Id depth = id == parent ? 0 : states_[parent].depth + 1;
  states_.push_back({.by = input.by, .parent = parent, .depth = depth});
  if (input.kind != Input::Kind::age) {
    states_.back().input = static_cast<Id>(inputs_.size());
    inputs_.push_back(std::move(input));
  }
  if (id != parent) states_[id].sibling = std::exchange(states_[parent].child, id);
  Host::add(std::move(traits), summary);
  return id;
}

/// All that has passed since the last other input is asked at once, so that it is worked out once, however it is
/// divided.
Id ExecutedHost::work_out_age(Id state, Duration by) {
  if (state != 0 && is_aged(state)) return aged(states_[state].parent, states_[state].by + by);
  shared_.inputs += states_[state].depth + std::uint64_t{1};
  LiveHost live = made(state);
  Input input{.kind = Input::Kind::age, .by = by};
  live.cell->feed(input);
  live.passed += by;
  const Id id = add(*live.cell, state, std::move(input));
  keep(since(state).first, std::move(live));
  return id;
}

/// The state that was first met after this input; `none`: there is no such state.
Id ExecutedHost::made_before(Id parent, const Input& input) const {
  for (Id state = states_[parent].child; state != none; state = states_[state].sibling) {
    if (!is_aged(state) && inputs_[states_[state].input] == input) return state;
  }
  return none;
}

Id ExecutedHost::after(Id state, Input input) {
  if (input.kind == Input::Kind::age) return aged(state, input.by);
  if (const Id known = made_before(state, input); known != none) return known;
  std::unique_ptr<IsolatedHost> cell = made(state).cell;
  cell->feed(input);
  cell->drop_output();
  const Id id = add(*cell, state, std::move(input));
  if (since(id).first == id) keep(id, {std::move(cell), {}});
  return id;
}

PostedMessage ExecutedHost::numbered(const SiteOutput& posted) const {
  PostedMessage message{.peer = posted.peer, .slot = posted.slot, .way = posted.way};
  message.flight = {shared_.letters.add(posted.letter), posted.distance, {}};
  message.refused = posted.letter.refused;
  message.server = posted.server;
  return Host::numbered(message);
}

/// In one list, or in one more than there are consequences.
void ExecutedHost::keep_events(Output& out, Outcome& outcome) const {
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

/// `now`: of the step that is worked out now.
const Outcome& ExecutedHost::outcome(Id leaf, const std::vector<Outcome>& now) const {
  const auto [step, place] = leaves_[leaf];
  return (step == steps() ? now : outcomes(step))[place];
}

std::vector<Outcome> ExecutedHost::work_out(Id state, const Key128& key, const Input& input) {
  const Key128 question = with_any_rest(key);
  Id tree = trees_.find(question);
  if (tree == FlatMap::none) {
    tree = answers_.add();
    trees_.insert(question, tree);
  }
  std::vector<Outcome> outcomes;
  std::optional<Outcome> fresh;  // of the last run, which is shown at once
  const auto run = [&](const Choices& choices) {
    auto [asked, outcome] = this->run(state, input, choices);
    fresh = std::move(outcome);
    return asked;
  };
  const auto show = [&](const Choices& answers, Id leaf) {
    if (fresh) {
      leaves_.push_back({steps(), static_cast<Id>(outcomes.size())});
      outcomes.push_back(*std::exchange(fresh, std::nullopt));
    } else {
      outcomes.push_back(Outcome(outcome(leaf, outcomes)));  // a copy first: it may stand in the same list
    }
    outcomes.back().answers = answers;
  };
  const std::size_t leaves = leaves_.size();
  try {
    answers_.each(tree, input.budget, run, show);
  } catch (const harness::Cancellation&) {
    answers_.forget(tree);  // some of its leaves stand for outcomes that nobody keeps
    leaves_.resize(leaves);
    throw;
  }
  return outcomes;
}

std::pair<Answers::Run, Outcome> ExecutedHost::run(Id state, const Input& input, const Choices& choices) {
  shared_.count_path();
  shared_.inputs += states_[state].depth + std::uint64_t{1};
  Input tried = input;
  tried.choices = choices;
  std::unique_ptr<IsolatedHost> cell = made(state).cell;
  Answers::Run run{cell->feed_and_listen(tried), static_cast<Id>(leaves_.size())};
  ++shared_.runs;
  Output out = cell->take_output();
  tried.choices = cell->chooser().path();
  if (std::ranges::all_of(tried.choices, [](std::uint16_t choice) { return choice == 0; })) {
    tried.choices.clear();
    tried.budget = used_up_;  // when it is fed again, nobody asks which faults could have struck
  }
  tried.drawn = cell->drawn();
  std::vector<int> used = std::move(out.budget);
  for (std::size_t i = 0; i < used.size(); ++i) used[i] -= input.budget[i];
  Outcome outcome{.used = shared_.budgets.add(used)};
  keep_events(out, outcome);
  for (const SiteOutput& posted : out.posted) outcome.posted.push_back(numbered(posted));
  outcome.asks = cell->chooser().asked_at_once();
  outcome.buffered = out.buffered;
  outcome.sent = std::move(out.sent);
  outcome.resets = std::move(out.resets);
  outcome.severed = std::move(out.severed);
  outcome.closed = std::move(out.closed);
  outcome.opened = std::move(out.opened);
  outcome.struck = std::move(out.struck);
  outcome.state = add(*cell, state, std::move(tried));
  if (since(outcome.state).first == outcome.state) keep(outcome.state, {std::move(cell), {}});
  return {std::move(run), std::move(outcome)};
}

}  // namespace lockproof::sim
