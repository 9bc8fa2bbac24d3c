// SPDX-License-Identifier: Apache-2.0
#include "search/state_space/rows.hpp"

#include <algorithm>

#include "search/automata/unrepresentable.hpp"

namespace lockproof::sim {
namespace {

/// Whether the outcome of a server that ran a request of this client does something to another one. It depends on the
/// outcome alone, and not on what the others were in the example.
bool reaches_others(const Outcome& outcome, int client) {
  const auto other = [&](const auto& to) { return to.client != client; };
  const auto other_peer = [&](const PostedMessage& posted) { return posted.peer != client; };
  return !outcome.consequences.empty() || std::ranges::any_of(outcome.posted, other_peer) ||
         std::ranges::any_of(outcome.resets, other) || std::ranges::any_of(outcome.severed, other);
}

}  // namespace

/// Makes entries of what Successors says.
class Rows::Collector final : public Successors::Listener {
 public:
  Collector(Rows& rows, std::size_t client) : rows_(rows), client_(client) {}

  void see(bool local, int server, const std::vector<Effect>& effects) override {
    for (const Effect& effect : effects) {
      far |= effect.reaches;
      if (effect.reaches) continue;
      Entry entry = rows_.entry_of(effect.outcome->events, effect.losses);
      entry.group = effect.group;
      entry.used = effect.used;
      if (!effect.quiet.empty()) entry.quiet = rows_.quiet_list(effect.quiet);
      entry.buffered = !local && effects.front().outcome->buffered;
      add(entry, local ? Entry::Kind::local : Entry::Kind::reply, server);
    }
    ++event_;
  }
  void see_request(int server, std::uint32_t place) override {
    Entry entry{.group = place};
    add(entry, Entry::Kind::request, server);
    ++event_;
    requests = true;
  }
  void see(const Successors::Run& run) override {
    far |= run.several || reaches_others(*run.outcome, static_cast<int>(client_));
    if (far) return;
    Entry entry = rows_.entry_of(run.outcome->events, run.losses);
    entry.group = run.next[client_];
    entry.site_state = run.next[run.site];
    entry.used = run.outcome->used;
    add(entry, Entry::Kind::request, 0);
  }

  std::vector<Entry> locals{}, arrivals{};
  bool far = false, requests = false;

 private:
  void add(Entry entry, Entry::Kind kind, int server) {
    entry.kind = kind;
    entry.event = event_;
    entry.server = static_cast<std::uint8_t>(server);
    (kind == Entry::Kind::local ? locals : arrivals).push_back(entry);
  }

  Rows& rows_;
  const std::size_t client_;
  std::uint16_t event_ = 0;
};

Entry Rows::entry_of(Id events, const std::vector<Id>& losses) {
  Entry entry{.note = notes_.add(events, losses)};
  entry.enters = events_.enters(events);
  entry.promised = events_.promised(events);
  entry.asks = events_.asks(events);
  entry.contends = events_.contends(events);
  return entry;
}

Id Rows::quiet_list(const std::vector<NoOpInput>& inputs) {
  std::vector<QuietStep> steps;
  for (const NoOpInput& input : inputs) {
    const std::size_t site = sites_.of_server(input.server);
    const auto [known, is_new] = quiet_numbers_.try_emplace({site, input.key}, static_cast<Id>(quiet_inputs_.size()));
    if (is_new) quiet_inputs_.push_back(input);
    steps.push_back({known->second, site});
  }
  quiet_lists_.push_back(std::move(steps));
  return static_cast<Id>(quiet_lists_.size() - 1);
}

Id Rows::kept(const Collector& collected) {
  Row row{.first = static_cast<std::uint32_t>(entries_.size()), .far = collected.far};
  if (collected.locals.size() > UINT16_MAX || collected.arrivals.size() > UINT16_MAX) {
    throw UnrepresentableState("more happens to a client at once");
  }
  if (!row.far) {
    row.locals = static_cast<std::uint16_t>(collected.locals.size());
    row.arrivals = static_cast<std::uint16_t>(collected.arrivals.size());
    row.requests = collected.requests;
    entries_.insert(entries_.end(), collected.locals.begin(), collected.locals.end());
    entries_.insert(entries_.end(), collected.arrivals.begin(), collected.arrivals.end());
  }
  rows_.push_back(row);
  return static_cast<Id>(rows_.size() - 1);
}

Id Rows::learn(Id group, Id key, const Product::Tuple& tuple, std::size_t client, Successors& successors) {
  Collector collected(*this, client);
  successors.each_event_of(tuple, client, collected);
  const Id row = kept(collected);
  of_clients_.insert(group, key, row);
  return row;
}

Id Rows::learn_run(std::uint32_t request, const Product::Tuple& tuple, std::size_t client, Successors& successors) {
  const Entry asked = entries_[request];
  const auto server = static_cast<int>(asked.server);
  Collector collected(*this, client);
  successors.each_run(tuple, client, server, asked.group, collected);
  const Id row = kept(collected);
  runs_.insert(request, tuple[sites_.of_server(server)], row);
  return row;
}

Id Rows::learn_quiet(Id input, Id state, Successors& successors) {
  const Id after = successors.after_quiet(quiet_inputs_[input], state);
  quiet_.insert(input, state, after);
  return after;
}

void Rows::forget_budget(Id group, Id key, Id row) {
  const Id kept = key & ((Id{1} << (token_names + client_bits)) - 1);
  for (Id rest = 0; rest < 16; ++rest) {
    const Id other = rest << (token_names + client_bits) | kept;
    if (of_clients_.find(group, other) == none) of_clients_.insert(group, other, row);
  }
}

}  // namespace lockproof::sim
