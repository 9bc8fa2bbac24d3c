// SPDX-License-Identifier: Apache-2.0
// What happened to an item, for the history, with memcached's word for it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/history/event.hpp"

namespace lockproof::sim::memcached {

using Effects = std::vector<harness::Effect>;
using harness::Change;

inline void stored(Effects& effects, const std::string& key) {
  effects.push_back({Change::acquired, "stored", key, {}});
}
inline void changed(Effects& effects, const std::string& key) { effects.push_back({Change::changed, "incr", key, {}}); }
/// From now on the item lives for this time; nothing: without end.
inline void lives(Effects& effects, const std::string& key, std::optional<milliseconds> ttl) {
  effects.push_back({Change::renewed, "exptime", key, ttl});
}
inline void deleted(Effects& effects, const std::string& key) {
  effects.push_back({Change::released, "deleted", key, {}});
}
inline void expired(Effects& effects, const std::string& key) {
  effects.push_back({Change::expired, "expired", key, {}});
}
/// `word`: the cause of the loss.
inline void lost(Effects& effects, const std::string& key, const char* word) {
  effects.push_back({Change::evicted, word, key, {}});
}

}  // namespace lockproof::sim::memcached
