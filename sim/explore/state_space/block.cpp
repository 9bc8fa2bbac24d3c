// SPDX-License-Identifier: Apache-2.0
#include "sim/explore/state_space/block.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace lockproof::sim {
namespace {

std::uint64_t own_tokens(std::uint64_t tokens, std::size_t client) {
  return tokens >> (client * token_names) & ((std::uint64_t{1} << token_names) - 1);
}

}  // namespace

template <class Do>
void Block::each_actor(const State& state, Do what) {
  for (unsigned left = state.acts; left != 0; left &= left - 1) what(static_cast<std::size_t>(std::countr_zero(left)));
}

void Block::expand(std::span<const std::uint32_t> states, std::uint32_t worker, ExpandedState* results) {
  look_at(p_.stop_);
  learns_ = false;
  for (const std::uint32_t number : states) states_.prefetch_number(number);
  for (std::size_t n = 0; n < states.size(); ++n) states_.unpack(states[n], block_[n].before.data());
  stages(states.size(), states.data(), worker, results);
}

ExpandedState Block::learn(std::uint32_t number, const Tuple& tuple, std::uint32_t worker) {
  look_at(p_.stop_);
  learns_ = true;
  known_.look();
  std::ranges::copy(tuple, block_[0].before.begin());
  ExpandedState result;
  stages(1, &number, worker, &result);
  return result;
}

void Block::stages(std::size_t count, const std::uint32_t* numbers, std::uint32_t worker, ExpandedState* results) {
  for (std::size_t n = 0; n < count; ++n) begin(block_[n]);
  for (std::size_t n = 0; n < count; ++n) find_rows(block_[n]);
  for (std::size_t n = 0; n < count; ++n) ask_for_runs(block_[n]);
  events_.clear();
  for (std::size_t n = 0; n < count; ++n) {
    first_[n] = static_cast<std::uint32_t>(events_.size());
    collect(block_[n]);
  }
  first_[count] = static_cast<std::uint32_t>(events_.size());
  for (std::size_t n = 0; n < count; ++n) {
    pass(n, numbers[n]);
    const bool known = block_[n].fate != Fate::unknown;
    if (!known) into_.drop();
    results[n] = into_.end();
    results[n].by = known ? worker : nobody;
  }
}

/// The first stage: the instant of the next event, and who acts then.
void Block::begin(State& state) {
  state.fate = Fate::known;
  state.quiet = true;
  state.acts = 0;
  Duration due = IsolatedHost::never;
  bool wants = false;
  for (std::size_t i = 0; i < hosts_; ++i) {
    const Glance& one = known_.hosts[i].at(state.before[i]);
    due = std::min(due, one.due);
    if (i < clients_) state.quiet &= one.is(Glance::rests);
    wants |= one.is(Glance::wants);
  }
  // Of events at several servers most are left out, and a row would have all of them worked out.
  const bool most_are_left_out = p_.reductions_.ties && ((p_.messages_take_time_ && p_.servers_ > 2) ||
                                                         p_.shared_.bounds.ties == harness::Ties::together);
  const bool may_be_cut_off = p_.shared_.scenario.program.has_value();
  if (due >= IsolatedHost::never || may_be_cut_off || most_are_left_out || (wants && p_.asking_.applies())) {
    state.fate = Fate::far;
    return;
  }
  std::copy_n(state.before.begin(), columns_, state.now.begin());
  if (due != Duration{} && !age(state, due)) return;
  std::uint64_t tokens = 0;
  bool is_far = false;
  for (std::size_t i = 0; i < hosts_; ++i) {
    const Glance& one = glance(state, i);
    tokens |= one.tokens;
    is_far |= one.is(Glance::idle_wire) || one.is(Glance::own) || one.is(Glance::holds);
    if (one.is(Glance::acts)) state.acts = static_cast<std::uint8_t>(state.acts | 1u << i);
  }
  if (is_far) {
    state.fate = Fate::far;
    return;
  }
  const Id rest = p_.shared_.budgets.rest(state.now[p_.budget_column_]);
  each_actor(state, [&](std::size_t i) {
    state.rows[i] = Rows::key(i, own_tokens(tokens, i), rest);
    known_.rows.prefetch(state.now[i], state.rows[i]);
  });
}

bool Block::age(State& state, Duration by) {
  const std::size_t watch = p_.watch_column_;
  std::uint32_t span = known_.span(by);
  for (int attempt = 0; attempt < 2; ++attempt) {
    bool unknown = span == Glance::no_span;
    for (std::size_t i = 0; i < hosts_ && !unknown; ++i) {
      state.now[i] = known_.hosts[i].aged(state.before[i], span);
      unknown = state.now[i] == PairMap::none;
    }
    for (std::size_t i = 0; i < monitors_ && !unknown; ++i) {
      state.now[watch + i] = p_.monitor_states_.at(i).known_aged(state.before[watch + i], by);
      unknown = state.now[watch + i] == FlatMap::none;
    }
    if (!unknown) return true;
    if (!missing(state)) return false;
    learn_ages(state, by);
    span = known_.span(by);
  }
  throw std::logic_error("what becomes of a state with time was not learnt");
}

void Block::learn_ages(const State& state, Duration by) {
  std::uint32_t span = known_.span(by);
  if (span == Glance::no_span) span = known_.add_span(by);
  whole(state.before);
  const Duration missed{p_.planted_ == PlantedMistake::early_by_one};
  const Tuple& after = successors_.after(whole_, by - missed);
  known_.look();
  for (std::size_t i = 0; i < hosts_; ++i) {
    Glances& column = known_.hosts[i];
    if (column.aged(state.before[i], span) == PairMap::none) column.age(state.before[i], span, after[i]);
  }
}

/// The second stage: the rows of the clients that act.
void Block::find_rows(State& state) {
  if (state.fate != Fate::known) return;
  each_actor(state, [&](std::size_t i) {
    const Id key = state.rows[i];
    Id row = known_.rows.find(state.now[i], key);
    if (row == Rows::none) {
      if (!missing(state)) return;
      whole(state.now);
      row = known_.rows.learn(state.now[i], key, whole_, i, successors_);
      if (p_.planted_ == PlantedMistake::budget_left_out) known_.rows.forget_budget(state.now[i], key, row);
      known_.look();
    }
    state.rows[i] = row;
    const Row& found = known_.rows.at(row);
    if (found.far && state.fate == Fate::known) state.fate = Fate::far;
    __builtin_prefetch(known_.rows.entries(found));
  });
}

/// The third: the outcomes of the requests that arrive.
void Block::ask_for_runs(const State& state) {
  if (state.fate != Fate::known) return;
  each_actor(state, [&](std::size_t i) {
    const Row& row = known_.rows.at(state.rows[i]);
    if (!row.requests) return;
    for (std::uint32_t n = row.first + row.locals; n < row.first + row.locals + row.arrivals; ++n) {
      const Entry& entry = known_.rows.entry(n);
      if (entry.kind != Entry::Kind::request) continue;
      known_.rows.prefetch_run(n, state.now[p_.server_column(entry.server)]);
    }
  });
}

/// The fourth: all events in a world's order, the clients' own ones before arrivals.
void Block::collect(State& state) {
  if (state.fate != Fate::known) return;
  if (p_.reductions_.ties && collect_fewer(state)) return;
  each_actor(state, [&](std::size_t i) {
    const Row row = known_.rows.at(state.rows[i]);
    for (std::uint32_t n = row.first; n < row.first + row.locals; ++n) collect(state, i, n);
  });
  collect_arrivals(state, [](const Entry&) { return true; });
}

template <class Wanted>
void Block::collect_arrivals(State& state, Wanted wanted) {
  each_actor(state, [&](std::size_t i) {
    const Row row = known_.rows.at(state.rows[i]);
    for (std::uint32_t n = row.first + row.locals; n < row.first + row.locals + row.arrivals; ++n) {
      if (wanted(known_.rows.entry(n))) collect(state, i, n);
    }
  });
}

/// See Successors::each_of_fewer. False: nothing commutes with the rest.
bool Block::collect_fewer(State& state) {
  const bool all_used = p_.faults_of(state.now[p_.budget_column_]) >= p_.shared_.bounds.max_faults;
  if (!p_.messages_take_time_ || (p_.budget_reaches_ && !all_used)) return false;
  std::uint32_t requests = 0;
  bool acts = false;
  for (std::size_t i = 0; i < clients_; ++i) {
    const Glance& one = glance(state, i);
    if (one.is(Glance::plans)) return false;
    requests |= one.requests;
    acts |= one.is(Glance::has_locals) || one.replies;
  }
  if (collect_buffered(state)) return true;
  if (requests == 0 || (p_.budget_ends_connections_ && !all_used && acts)) return false;
  const int server = std::countr_zero(requests);
  collect_arrivals(state,
                   [&](const Entry& entry) { return entry.kind == Entry::Kind::request && entry.server == server; });
  return true;
}

/// The first reply to a client that is only put down.
bool Block::collect_buffered(State& state) {
  for (std::size_t i = 0; i < clients_; ++i) {
    const Glance& one = glance(state, i);
    if (one.is(Glance::has_locals) || !one.replies) continue;
    const Row row = known_.rows.at(state.rows[i]);
    const std::uint32_t end = row.first + row.locals + row.arrivals;
    for (std::uint32_t n = row.first; n < end; ++n) {
      if (!known_.rows.entry(n).buffered) continue;
      const std::uint16_t event = known_.rows.entry(n).event;
      for (; n < end && known_.rows.entry(n).event == event; ++n) collect(state, i, n);
      return true;
    }
  }
  return false;
}

void Block::collect(State& state, std::size_t client, std::uint32_t n) {
  const auto add = [&](std::uint32_t entry, std::size_t site) {
    events_.push_back({entry, static_cast<std::uint16_t>(client), static_cast<std::uint16_t>(site)});
  };
  const Entry& entry = known_.rows.entry(n);
  if (entry.kind != Entry::Kind::request) return add(n, 0);
  const std::size_t site = p_.server_column(entry.server);
  Id run = known_.rows.find_run(n, state.now[site]);
  if (run == Rows::none) {
    if (!missing(state)) return;
    whole(state.now);
    run = known_.rows.learn_run(n, whole_, client, successors_);
    known_.look();
  }
  const Row row = known_.rows.at(run);
  if (row.far && state.fate == Fate::known) state.fate = Fate::far;
  for (std::uint32_t i = row.first; i < row.first + row.arrivals; ++i) add(i, site);
}

/// The fifth: what monitors say, and the names of tokens.
void Block::pass(std::size_t n, std::uint32_t number) {
  State& state = block_[n];
  into_.begin(number, state.before[p_.budget_column_]);
  into_.now().quiet = state.quiet;
  if (state.fate == Fate::far) {
    if (!pass_far(state)) state.fate = Fate::unknown;
    return;
  }
  for (std::uint32_t i = first_[n]; i < first_[n + 1] && state.fate == Fate::known; ++i) {
    if (!pass(state, events_[i])) state.fate = Fate::unknown;
  }
}

/// As Successors does it. False: something is not known.
bool Block::pass_far(const State& state) {
  if (!learns_ && alone_) return false;  // whoever learns looks it up as well
  whole(state.before);
  try {
    into_.now().terminal = !successors_.each(whole_, into_);
  } catch (const Unknown&) {
    return false;
  }
  if (learns_) known_.look();
  return !successors_.unknown();
}

bool Block::pass(const State& state, const Event& event) {
  const Entry& entry = known_.rows.entry(event.entry);
  after_.assign(state.now.begin(), state.now.begin() + static_cast<std::ptrdiff_t>(columns_));
  after_[event.client] = entry.group;
  if (entry.site_state != Entry::unchanged) after_[event.site] = entry.site_state;
  if (entry.used != Budgets::nothing && !spend(entry.used)) return false;
  if (entry.quiet != Entry::no_quiet) [[unlikely]] {
    if (!settle(entry)) return false;
  }
  if (!judge(state, event, entry)) return false;
  const bool plain = is_plain();
  if (!plain && !successors_.named(after_)) return false;
  const Tuple* shown = &after_;
  if (p_.is_symmetric()) {
    shown = &successors_.stand_in(after_);
    if (successors_.unknown()) return false;
  }
  if (learns_ && (!plain || p_.is_symmetric())) known_.look();
  into_.add(shown->data(), states_.hash(shown->data()));
  return true;
}

/// False: the budget after it is not known.
bool Block::spend(Id used) {
  Budgets& budgets = p_.shared_.budgets;
  Id& budget = after_[p_.budget_column_];
  const Id known = budgets.known_after(budget, used);
  if (known == Budgets::none && !missing()) return false;
  budget = known != Budgets::none ? known : budgets.after(budget, used);
  return true;
}

/// The inputs to servers that have no other effect. False: one is not known.
bool Block::settle(const Entry& entry) {
  for (const Rows::QuietStep& step : known_.rows.quiet_steps(entry.quiet)) {
    Id& state = after_[step.site];
    Id after = known_.rows.find_quiet(step.input, state);
    if (after == Rows::none) {
      if (!missing()) return false;
      after = known_.rows.learn_quiet(step.input, state, successors_);
      known_.look();
    }
    state = after;
  }
  return true;
}

/// False: what monitors say is not known.
bool Block::judge(const State& state, const Event& event, const Entry& entry) {
  for (std::size_t i = 0; i < monitors_ && entry.note != Notes::nothing; ++i) {
    const Id before = state.now[p_.watch_column_ + i];
    Id seen = known_.notes.find(i, before, entry.note);
    if (seen == Notes::none) {
      if (!missing()) return false;
      seen = known_.notes.learn(i, before, entry.note);
    }
    after_[p_.watch_column_ + i] = Notes::state(seen);
    if (Notes::breaks(seen)) [[unlikely]] {
      const std::string& kind = known_.notes.kind(i, before, entry.note);
      into_.note({p_.monitor_states_.at(i).name(), kind}, after_[p_.budget_column_], false);
    }
  }
  if (entry.enters) [[unlikely]] {
    into_.now().acquired = true;
    const std::string_view kind = exclusion(state, event, entry);
    if (!kind.empty()) into_.note({"mutual-exclusion", kind}, after_[p_.budget_column_], false);
  }
  if (!into_.now().contended && (entry.contends || entry.asks)) {
    into_.now().contended = contends(event, entry);
  }
  return true;
}

/// See Successors::contends.
bool Block::contends(const Event& event, const Entry& entry) const {
  bool rival = entry.contends;
  for (std::size_t i = 0; i < clients_ && entry.asks; ++i) {
    if (i != event.client || event.site != 0) rival |= known_.hosts[i].at(after_[i]).is(Glance::interested);
  }
  return rival;
}

/// See Successors::exclusion.
std::string_view Block::exclusion(const State& state, const Event& event, const Entry& entry) const {
  std::string_view worst;
  for (std::size_t i = 0; i < clients_; ++i) {
    const Glance& other = glance(state, i);
    if (i == event.client || !other.is(Glance::inside)) continue;
    if (entry.promised && other.is(Glance::entitled)) return "double-grant";
    worst = "outlived";
  }
  return worst;
}

/// See Naming::is_plain.
bool Block::is_plain() const {
  constexpr std::uint64_t last = bit_of(token_names * token_clients - 1);
  std::uint64_t known = 0, named = 0, kept = 0;
  for (std::size_t i = 0; i < clients_; ++i) {
    const Glance& one = known_.hosts[i].at(after_[i]);
    if (one.is(Glance::other_names)) return false;
    known |= one.known;
    named |= one.tokens;
  }
  for (std::size_t i = clients_; i < hosts_; ++i) kept |= known_.hosts[i].at(after_[i]).tokens;
  return named == known && (kept & ~known & ~last) == 0;
}

}  // namespace lockproof::sim
