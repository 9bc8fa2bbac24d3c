// SPDX-License-Identifier: Apache-2.0
#include "search/automata/host.hpp"

#include <stdexcept>
#include <utility>

#include "search/automata/unrepresentable.hpp"

namespace lockproof::sim {

Key128 Host::key(Id state, const InputKey& input, Id letter, Id rest) {
  const auto bits = [](auto n, unsigned width) {
    const auto value = static_cast<std::uint64_t>(n);
    if (value >> width != 0) throw UnrepresentableState("an event has larger numbers");
    return value;
  };
  std::uint64_t high = bits(input.kind, 4);
  high = high << 7 | bits(input.n, 7);
  high = high << 7 | bits(input.peer, 7);
  high = high << 7 | bits(input.slot, 7);
  high = high << 7 | bits(input.distance + 1, 7);
  high = high << 16 | bits(rest, 16);
  high = high << 16 | bits(input.tokens, 16);
  return {high, std::uint64_t{state} << 32 | letter};
}

Id Host::aged(Id state, Duration by) {
  const Id known = known_aged(state, by);
  if (known != FlatMap::none) return known;
  const Id id = work_out_age(state, by);
  ages_.insert({static_cast<std::uint64_t>(by.count()), state}, id);
  return id;
}

const std::vector<Outcome>& Host::step(Id state, const Key128& key, const Input& input) {
  if (const std::vector<Outcome>* before = known(key)) return *before;
  std::vector<Outcome> outcomes = work_out(state, key, input);
  for (const Outcome& outcome : outcomes) shared_.of_budget.insert(outcome.struck.begin(), outcome.struck.end());
  steps_.insert(key, static_cast<Id>(outcomes_.size()));
  outcomes_.push_back(std::move(outcomes));
  return outcomes_.back();
}

Id Host::quiet_step(Id state, const Key128& key, const Input& input) {
  const std::vector<Outcome>& outcomes = step(state, key, input);
  if (outcomes.size() != 1 || !outcomes[0].posted.empty() || !outcomes[0].sent.empty())
    throw std::logic_error("a quiet step was not quiet");
  return outcomes[0].state;
}

void Host::add(Traits traits, const Summary& summary) {
  traits_.push_back(std::move(traits));
  summaries_.push_back(summary);
}

PostedMessage Host::numbered(PostedMessage posted) const {
  const auto way = static_cast<std::uint64_t>(posted.way.count());
  const Id parts[] = {posted.flight.letter, static_cast<Id>(posted.slot), static_cast<Id>(posted.flight.distance),
                      static_cast<Id>(way), static_cast<Id>(way >> 32)};
  posted.number = shared_.posted.add(parts).first;
  return posted;
}

}  // namespace lockproof::sim
