// SPDX-License-Identifier: Apache-2.0
#include "search/fuzz/random.hpp"

#include <vector>

namespace lockproof::sim {

std::optional<Ask> drawn_ask(RandomBits& bits, const AskOffer& offer) {
  constexpr std::uint64_t one_in = 8;
  if (bits.below(one_in) != 0) return std::nullopt;
  const std::vector<Duration> instants = offer.instants();
  if (instants.empty()) return std::nullopt;
  return Ask{bits.below(offer.clients.size()), instants[bits.below(instants.size())]};
}

std::size_t SamplingChooser::first_of(std::size_t count, const NameOf& name) {
  if (count == 1) return 0;
  std::size_t best = 0;
  switch (habit_.ties) {
    case Habit::Ties::evenly: return static_cast<std::size_t>(bits_.below(count));
    case Habit::Ties::first: return 0;
    case Habit::Ties::last: return count - 1;
    case Habit::Ties::by_thread: break;
  }
  std::vector<std::uint64_t> priorities;
  for (std::size_t i = 0; i < count; ++i) priorities.push_back(mixed(seed_, threads_.of(name(i))));
  for (std::size_t i = 1; i < count; ++i) {
    if (priorities[i] > priorities[best]) best = i;
  }
  return best;
}

Duration SamplingChooser::duration(const harness::Window& window, Duration grid, const NameOf&) {
  const std::uint64_t most = window.options(grid) - 1;
  switch (habit_.durations) {
    case Habit::Durations::evenly: break;
    case Habit::Durations::ends: return window.option(grid, bits_.below(2) * most);
    case Habit::Durations::least: return window.least;
  }
  return window.option(grid, bits_.below(most + 1));
}

}  // namespace lockproof::sim
