// SPDX-License-Identifier: Apache-2.0
#include "harness/program/key_lease.hpp"

#include <algorithm>
#include <functional>

namespace lockproof::harness {

std::optional<KeyChange> change_of_key(const std::vector<Effect>& effects, std::string_view key) {
  KeyChange all;
  for (const Effect& effect : effects) {
    if (effect.key != key) continue;
    switch (effect.change) {
      case Change::acquired: all = {.takes = true, .sets_end = true}; break;
      case Change::changed:
        all.takes = true;
        all.removes = false;
        break;
      case Change::renewed:
        all.sets_end = true;
        all.ttl = effect.ttl;
        break;
      case Change::released: all = {.removes = true}; break;
      case Change::expired:
      case Change::evicted: break;  // by no command of the client
    }
  }
  return all == KeyChange{} ? std::nullopt : std::optional(all);
}

void KeyLease::apply(int server, const KeyChange& change, Duration sent) {
  if (change.removes) places_.erase(server);
  if (change.takes) places_.try_emplace(server);
  const auto place = places_.find(server);
  if (place == places_.end() || !change.sets_end) return;  // the end of a key that is not its own is no promise to it
  place->second = change.ttl ? std::optional(sent + Duration(*change.ttl)) : std::nullopt;
}

std::optional<Duration> KeyLease::until(std::size_t servers) const {
  std::vector<Duration> ends;
  for (const auto& [server, until] : places_) ends.push_back(until.value_or(Duration::max()));
  const std::size_t majority = servers / 2 + 1;
  if (ends.size() < majority) return std::nullopt;
  std::ranges::sort(ends, std::greater{});
  const Duration end = ends[majority - 1];
  return end == Duration::max() ? std::nullopt : std::optional(end);
}

std::vector<std::int64_t> KeyLease::numbers() const {
  std::vector<std::int64_t> all;
  for (const auto& [server, until] : places_) {
    all.push_back(server);
    all.push_back(until ? until->count() : -1);
  }
  return all;
}

}  // namespace lockproof::harness
