// SPDX-License-Identifier: Apache-2.0
#include "search/state_space/symmetric_states.hpp"

#include <stdexcept>

#include "search/automata/client_places.hpp"

namespace lockproof::sim {
Id SymmetricStates::group(std::size_t places, std::size_t client, Id group) {
  const Key128 at = key(places, client, group);
  const Id known = of_groups_.find(at);
  if (known != FlatMap::none) return known;
  const Groups& own = *groups_[client];
  Groups& others = *groups_[static_cast<std::size_t>(this->at(places)[client])];
  std::vector<Id> parts(own.parts(group), own.parts(group) + 1 + own.servers());
  parts[0] = host_state(places, client, parts[0]);
  for (std::size_t i = 1; i < parts.size(); ++i) parts[i] = link(places, parts[i]);
  const Id image = others.add(parts.data());
  if (others.at(image).shape != own.at(group).shape) throw std::logic_error("clients were thought interchangeable");
  of_groups_.insert(at, image);
  return image;
}

/// The images of the inputs that have led to it lead to its image.
Id SymmetricStates::host_state(std::size_t places, std::size_t host, Id state) {
  const Permutation& moves = at(places);
  const std::size_t other = host < moves.size() ? static_cast<std::size_t>(moves[host]) : host;
  std::vector<Id> path;  // from states of which no image is known
  Id image = 0;
  for (; state != 0; state = hosts_[host]->parent_of(state)) {
    const Id known = of_hosts_.find(key(places, host, state));
    if (known != FlatMap::none) {
      image = known;
      break;
    }
    path.push_back(state);
  }
  for (auto next = path.rbegin(); next != path.rend(); ++next) {
    image = hosts_[other]->after(image, input(moves, host, hosts_[host]->input_of(*next)));
    of_hosts_.insert(key(places, host, *next), image);
  }
  return image;
}

Input SymmetricStates::input(const Permutation& places, std::size_t host, Input input) const {
  const bool of_client = host < places.size();
  if (input.kind == Input::Kind::struck) {
    const auto form = symmetry_.form(static_cast<std::size_t>(input.n), static_cast<std::size_t>(input.peer), places);
    input.peer = static_cast<int>(form);
    return input;
  }
  move(places, input.letter);
  for (TokenName& name : input.drawn) name = moved(places, name);
  if (of_client) {
    const std::uint64_t own = input.tokens >> (host * token_names);
    input.tokens = own << (static_cast<std::size_t>(places[host]) * token_names);
  } else if (input.kind != Input::Kind::local && input.kind != Input::Kind::age) {
    input.peer = moved(places, input.peer);
  }
  return input;
}

Id SymmetricStates::letter(const Permutation& places, Id letter) {
  CanonicalMessage other = shared_.letters.at(letter);
  move(places, other);
  return shared_.letters.add(other);
}

Id SymmetricStates::link(std::size_t places, Id link) {
  const Key128 at = key(places, 0, link);
  const Id known = of_links_.find(at);
  if (known != FlatMap::none) return known;
  Link other = links_.at(link);
  for (Wire& wire : other.wires) {
    for (Lane* lane : {&wire.requests, &wire.replies}) {
      for (Flight& flight : lane->flights) flight.letter = letter(this->at(places), flight.letter);
    }
  }
  const Id image = links_.add(std::move(other));
  of_links_.insert(at, image);
  return image;
}

Id SymmetricStates::events(const Permutation& places, Id events) {
  return shared_.events.rewritten(events, [&](harness::Event& event) { move(places, event); });
}

Id SymmetricStates::watch(std::size_t places, std::size_t monitor, Id state) {
  const Key128 at = key(places, monitor, state);
  const Id known = of_watches_.find(at);
  if (known != FlatMap::none) return known;
  const auto rewrite = [&](Id list) { return events(this->at(places), list); };
  const Id image = monitor_states_.at(monitor).image(state, places, rewrite);
  of_watches_.insert(at, image);
  return image;
}

}  // namespace lockproof::sim
