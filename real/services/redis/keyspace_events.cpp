// SPDX-License-Identifier: Apache-2.0
#include "real/services/redis/keyspace_events.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace lockproof::real {

using harness::Change;

namespace {

constexpr std::array<std::pair<std::string_view, Change>, 6> changes_by_word{{
    {"set", Change::acquired},
    {"expire", Change::renewed},
    {"persist", Change::renewed},
    {"del", Change::released},
    {"expired", Change::expired},
    {"evicted", Change::evicted},
}};

}  // namespace

Change change_of(std::string_view word) {
  const auto found = std::ranges::find(changes_by_word, word, &std::pair<std::string_view, Change>::first);
  return found == changes_by_word.end() ? Change::changed : found->second;
}

harness::Effect effect_of(std::string word, std::string key) {
  const Change change = change_of(word);
  return {change, std::move(word), std::move(key), std::nullopt};
}

}  // namespace lockproof::real
