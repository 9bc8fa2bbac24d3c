// SPDX-License-Identifier: Apache-2.0
// Redis's keyspace events as typed changes of keys, in the one place that knows their names.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "harness/history/event.hpp"
#include "real/services/key_watch.hpp"

namespace lockproof::real {

/// What a keyspace event says about its key. The words of commands that write only a part of a value, or that add to it
/// (hset, hincrby, incrby, append, …), are many; every word that is not otherwise known is taken for one of these.
[[nodiscard]] harness::Change change_of(std::string_view word);
/// An event as it comes from the server, which does not say a time to live with it.
[[nodiscard]] harness::Effect effect_of(std::string word, std::string key);
/// One connection in RESP3, subscribed to them, which asks on the same connection: what the server pushes stands before
/// its reply, in order. `port`: where the server is now.
[[nodiscard]] std::unique_ptr<KeyWatch> watch_keys(std::function<int()> port);

}  // namespace lockproof::real
