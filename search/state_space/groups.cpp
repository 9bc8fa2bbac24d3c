// SPDX-License-Identifier: Apache-2.0
#include "search/state_space/groups.hpp"

#include <algorithm>

namespace lockproof::sim {

Id Groups::add(const Id* parts) {
  const auto [id, is_new] = parts_.add(parts);
  if (!is_new) return id;
  const Traits& traits = client_.traits(parts[0]);
  Group group{.due = traits.due};
  group.known = client_.summary(parts[0]).tokens;
  if (traits.due == Duration{}) {
    group.locals = traits.locals;
    group.plans = traits.alone > 0;
  }
  group.inside = traits.inside;
  group.entitled = traits.entitled;
  group.interested = traits.interested;
  group.over = traits.over;
  group.wants = traits.wants;
  std::vector<TokenName> names = traits.names;
  std::vector<Id> shape{client_.summary(parts[0]).shape};
  for (std::size_t server = 0; server < servers_; ++server) {
    const Id link = parts[1 + server];
    const std::uint32_t bit = std::uint32_t{1} << server;
    group.due = std::min(group.due, links_.due(link));
    add_names(names, links_.names(link));
    if (links_.has_idle_wires(link)) group.idle |= bit;
    shape.push_back(links_.shape(link));
    if (links_.due(link) != Duration{}) continue;
    group.may_undo |= links_.may_undo(link);
    for (const Arrival& arrival : links_.arrivals(link)) (arrival.reply ? group.replies : group.requests) |= bit;
  }
  group.shape = shapes_.add(shape.data()).first;
  group.tokens = bits_of(names);
  names_.push_back(std::move(names));
  groups_.push_back(group);
  return id;
}

}  // namespace lockproof::sim
