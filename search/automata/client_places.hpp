// SPDX-License-Identifier: Apache-2.0
// What becomes of tokens, messages and events when clients change places: a token follows the client in its name.
#pragma once

#include "harness/history/event.hpp"
#include "search/automata/isolated_host.hpp"
#include "search/reduction/symmetry.hpp"

namespace lockproof::sim {

/// The client that comes to this client's place.
[[nodiscard]] inline int moved(const Permutation& places, int client) {
  return places[static_cast<std::size_t>(client)];
}
/// The same token, if its name is of no client of the scenario.
[[nodiscard]] TokenName moved(const Permutation& places, TokenName token);
void move(const Permutation& places, CanonicalMessage& message);
void move(const Permutation& places, harness::Event& event);

}  // namespace lockproof::sim
