// SPDX-License-Identifier: Apache-2.0
// The part of Successors that renames tokens, and lets clients change places.
#include "search/state_space/successors.hpp"

namespace lockproof::sim {

/// Gives its tokens their canonical names. False: the result is not known.
bool Successors::name(Tuple& tuple) {
  const Naming& naming = p_.naming_;
  if (naming.is_plain(tuple)) return true;
  Renaming to;
  if (!naming.differs(tuple, to)) return true;
  for (std::size_t i = 0; i < p_.host_count_; ++i) {
    const bool of_client = i < p_.clients_;
    const Id known = of_client ? naming.known_group(i, tuple[i], to) : naming.known_server(i, tuple[i], to);
    if (known == FlatMap::none && gives_up()) return false;
    tuple[i] = known != FlatMap::none ? known
               : of_client            ? p_.naming_.group(i, tuple[i], to)
                                      : p_.naming_.server(i, tuple[i], to);
  }
  return true;
}

const Successors::Tuple& Successors::stand_in(const Tuple& tuple) {
  const std::vector<Permutation>& all = p_.symmetry_.all();
  bool found = false;
  for (std::size_t places = 0; places < all.size(); ++places) {
    if (!is_in_order(tuple, all[places])) continue;
    if (!image(tuple, places, image_) || !name(image_)) return tuple;
    if (!found || image_ < stand_in_) stand_in_ = image_;
    found = true;
  }
  return stand_in_;
}

/// Whether interchangeable clients stand in the order of their shapes after they have changed places.
bool Successors::is_in_order(const Tuple& tuple, const Permutation& places) const {
  const auto shape = [&](std::size_t client) { return p_.groups_[client]->at(tuple[client]).shape; };
  const std::vector<int>& classes = p_.symmetry_.classes();
  for (std::size_t a = 0; a < p_.clients_; ++a) {
    for (std::size_t b = 0; b < p_.clients_; ++b) {
      if (classes[a] == classes[b] && places[a] < places[b] && shape(a) > shape(b)) return false;
    }
  }
  return true;
}

/// Returns false if the result is not known.
bool Successors::image(const Tuple& tuple, std::size_t places, Tuple& into) {
  into = tuple;
  if (places == 0) return true;
  SymmetricStates& images = p_.symmetric_states_;
  const Permutation& to = p_.symmetry_.all()[places];
  for (std::size_t i = 0; i < p_.clients_; ++i) {
    Id image = images.known_group(places, i, tuple[i]);
    if (image == FlatMap::none) {
      if (gives_up()) return false;
      image = images.group(places, i, tuple[i]);
    }
    into[static_cast<std::size_t>(to[i])] = image;
  }
  for (std::size_t i = p_.clients_; i < p_.host_count_; ++i) {
    into[i] = images.known_server(places, i, tuple[i]);
    if (into[i] != FlatMap::none) continue;
    if (gives_up()) return false;
    into[i] = images.server(places, i, tuple[i]);
  }
  for (std::size_t i = 0; i < p_.monitor_states_.count(); ++i) {
    const std::size_t column = p_.watch_column_ + i;
    into[column] = images.known_watch(places, i, tuple[column]);
    if (into[column] != FlatMap::none) continue;
    if (gives_up()) return false;
    into[column] = images.watch(places, i, tuple[column]);
  }
  return true;
}

}  // namespace lockproof::sim
