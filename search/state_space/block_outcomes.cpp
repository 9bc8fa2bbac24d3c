// SPDX-License-Identifier: Apache-2.0
// What comes of the events of a block: the last two stages.
#include "harness/check/promise.hpp"
#include "search/state_space/block.hpp"

namespace lockproof::sim {

/// The fifth: what monitors make of the events is asked for.
void Block::ask_for_notes(std::size_t n) {
  const State& state = block_[n];
  for (std::uint32_t i = first_[n]; i < first_[n + 1]; ++i) {
    const Id note = known_.rows.entry(events_[i].entry).note;
    for (std::size_t m = 0; m < monitors_ && note != Notes::nothing; ++m) {
      known_.notes.prefetch(m, state.now[watch_ + m], note);
    }
  }
}

/// The sixth: what monitors say, and the names of tokens.
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
  } catch (const UnknownOutcome&) {
    return false;
  }
  if (learns_) look();
  return !successors_.unknown();
}

bool Block::pass(const State& state, const Event& event) {
  const Entry& entry = known_.rows.entry(event.entry);
  after_ = into_.room();
  std::copy_n(state.now.begin(), columns_, after_);
  after_[event.client] = entry.group;
  if (entry.site_state != Entry::unchanged) after_[event.site] = entry.site_state;
  if (entry.used != Budgets::nothing && !spend(entry.used)) return false;
  if (entry.quiet != Entry::no_quiet) [[unlikely]] {
    if (!settle(entry)) return false;
  }
  if (!judge(state, event, entry)) return false;
  const bool plain = is_plain();
  if (!plain || p_.is_symmetric()) return pass_renamed(plain);
  into_.add();
  return true;
}

/// With the names of tokens, and of clients, that the state after it is visited with. False: they are not known.
bool Block::pass_renamed(bool is_plain) {
  if (learns_) look_at(p_.shared_.stop);  // a state may have ten thousands of successors, each of which runs hosts
  whole_.assign(after_, after_ + columns_);
  if (!is_plain && !successors_.named(whole_)) return false;
  const Tuple* shown = &whole_;
  if (p_.is_symmetric()) {
    shown = &successors_.stand_in(whole_);
    if (successors_.unknown()) return false;
  }
  if (learns_) look();
  into_.add(*shown);
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
      look();
    }
    state = after;
  }
  return true;
}

/// False: what monitors say is not known.
bool Block::judge(const State& state, const Event& event, const Entry& entry) {
  for (std::size_t i = 0; i < monitors_ && entry.note != Notes::nothing; ++i) {
    const Id before = state.now[watch_ + i];
    Id seen = known_.notes.find(i, before, entry.note);
    if (seen == Notes::none) {
      if (!missing()) return false;
      seen = known_.notes.learn(i, before, entry.note);
    }
    after_[watch_ + i] = Notes::state(seen);
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
    if (i != event.client || event.site != 0) rival |= summary(i, after_[i]).is(Summary::interested);
  }
  return rival;
}

/// See Successors::exclusion.
std::string_view Block::exclusion(const State& state, const Event& event, const Entry& entry) const {
  const harness::Scenario& scenario = p_.shared_.scenario;
  check::Entrance entering(scenario.permits(), scenario.clients[event.client].plan.mode_in(1), entry.promised);
  for (std::size_t i = 0; i < clients_; ++i) {
    const Summary& other = summary(state, i);
    if (i != event.client && other.is(Summary::inside))
      entering.meet(scenario.clients[i].plan.mode_in(1), other.is(Summary::entitled));
  }
  return entering.kind();
}

/// See Naming::is_plain.
bool Block::is_plain() const {
  constexpr std::uint64_t last = bit_of(token_names * token_clients - 1);
  std::uint64_t known = 0, named = 0, kept = 0;
  for (std::size_t i = 0; i < clients_; ++i) {
    const Summary& one = summary(i, after_[i]);
    if (one.is(Summary::other_names)) return false;
    known |= one.known;
    named |= one.tokens;
  }
  for (std::size_t i = clients_; i < hosts_; ++i) kept |= summary(i, after_[i]).tokens;
  return named == known && (kept & ~known & ~last) == 0;
}

}  // namespace lockproof::sim
