// SPDX-License-Identifier: Apache-2.0
#include "search/state_space/block.hpp"

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

/// Of events at several servers most are left out, and a row would have all of them worked out. A program may go on for
/// ever, and be cut off.
bool Block::has_rows(const Product& p) {
  const bool most_are_left_out =
      (p.messages_take_time_ && p.servers_ > 2) || p.shared_.bounds.ties == harness::Ties::together;
  return !p.shared_.scenario.program && !(p.reductions_.ties && most_are_left_out);
}

/// Sees what was learnt.
void Block::look() {
  if (learns_) known_.look();
  for (std::size_t i = 0; i < hosts_; ++i) summaries_[i] = known_.hosts[i].data();
}

void Block::expand(std::span<const std::uint32_t> states, std::uint32_t worker, ExpandedState* results) {
  look_at(p_.shared_.stop);
  learns_ = false;
  look();
  for (const std::uint32_t number : states) states_.prefetch_number(number);
  for (std::size_t n = 0; n < states.size(); ++n) states_.unpack(states[n], block_[n].before.data());
  stages(states.size(), states.data(), worker, results);
}

ExpandedState Block::learn(std::uint32_t number, const Tuple& tuple, std::uint32_t worker) {
  look_at(p_.shared_.stop);
  learns_ = true;
  look();
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
  for (std::size_t n = 0; n < count; ++n) ask_for_notes(n);
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
  Duration due = IsolatedHost::never;
  unsigned quiet = Summary::rests, some = 0;  // flags of all clients, and of some host
  for (std::size_t i = 0; i < hosts_; ++i) {
    const Summary& one = summary(i, state.before[i]);
    due = std::min(due, one.due);
    some |= one.flags;
    if (i < clients_) quiet &= one.flags;
  }
  state.quiet = quiet != 0;
  state.fate = Fate::far;
  if (due >= IsolatedHost::never || !has_rows_ || (asks_ && (some & Summary::wants) != 0)) return;
  state.fate = Fate::known;
  if (due == Duration{}) {
    std::copy_n(state.before.begin(), columns_, state.now.begin());
  } else if (!age(state, due)) {
    return;
  }
  std::uint64_t tokens = 0;
  unsigned acts = 0;  // a bit for each client
  some = 0;
  for (std::size_t i = 0; i < hosts_; ++i) {
    const Summary& one = summary(state, i);
    tokens |= one.tokens;
    some |= one.flags;
    acts |= static_cast<unsigned>(one.is(Summary::acts)) << i;
  }
  if ((some & (Summary::idle_wire | Summary::own | Summary::holds)) != 0) {
    state.fate = Fate::far;
    return;
  }
  state.acts = static_cast<std::uint8_t>(acts);
  const Id rest = p_.shared_.budgets.rest(state.now[p_.budget_column_]);
  each_actor(state, [&](std::size_t i) {
    state.rows[i] = Rows::key(i, own_tokens(tokens, i), rest);
    known_.rows.prefetch(state.now[i], state.rows[i]);
  });
}

bool Block::age(State& state, Duration by) {
  std::uint32_t span = known_.span(by);
  state.now[p_.budget_column_] = state.before[p_.budget_column_];
  for (int attempt = 0; attempt < 2; ++attempt) {
    bool unknown = span == Summary::no_span;
    for (std::size_t i = 0; i < hosts_ && !unknown; ++i) {
      state.now[i] = known_.hosts[i].aged(state.before[i], span);
      unknown = state.now[i] == PairMap::none;
    }
    for (std::size_t i = 0; i < monitors_ && !unknown; ++i) {
      state.now[watch_ + i] = p_.monitor_states_.at(i).known_aged(state.before[watch_ + i], by);
      unknown = state.now[watch_ + i] == FlatMap::none;
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
  if (span == Summary::no_span) span = known_.add_span(by);
  whole(state.before);
  const Duration missed{p_.planted_ == PlantedMistake::early_by_one};
  const Tuple& after = successors_.after(whole_, by - missed);
  look();
  for (std::size_t i = 0; i < hosts_; ++i) {
    Summaries& column = known_.hosts[i];
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
      look();
    }
    state.rows[i] = row;
    const Row& found = known_.rows.at(row);
    if (found.far && state.fate == Fate::known) state.fate = Fate::far;
    sim::prefetch(known_.rows.entries(found));
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
  bool acts = false, undoes = false;
  for (std::size_t i = 0; i < clients_; ++i) {
    const Summary& one = summary(state, i);
    if (one.is(Summary::plans)) return false;
    requests |= one.requests;
    acts |= one.is(Summary::has_locals) || one.replies;
    undoes |= one.is(Summary::may_undo);
  }
  if (collect_buffered(state)) return true;
  if (requests == 0 || (acts && (undoes || (p_.budget_ends_connections_ && !all_used)))) return false;
  const int server = std::countr_zero(requests);
  collect_arrivals(state,
                   [&](const Entry& entry) { return entry.kind == Entry::Kind::request && entry.server == server; });
  return true;
}

/// The first reply to a client that is only put down.
bool Block::collect_buffered(State& state) {
  for (std::size_t i = 0; i < clients_; ++i) {
    const Summary& one = summary(state, i);
    if (one.is(Summary::has_locals) || !one.replies) continue;
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
    look();
  }
  const Row row = known_.rows.at(run);
  if (row.far && state.fate == Fate::known) state.fate = Fate::far;
  sim::prefetch(known_.rows.entries(row));
  for (std::uint32_t i = row.first; i < row.first + row.arrivals; ++i) add(i, site);
}

}  // namespace lockproof::sim
