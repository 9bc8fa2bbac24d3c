// SPDX-License-Identifier: Apache-2.0
// SymmetricStates: what the parts of a world become when interchangeable clients change places. A state of a host or a
// monitor is known by the inputs that have led to it; its image is the state that the same inputs lead to with the
// clients' places changed. Each image is computed once.
#pragma once

#include <cstdint>
#include <vector>

#include "search/reduction/symmetry.hpp"
#include "search/state_space/groups.hpp"
#include "search/state_space/monitor_states.hpp"

namespace lockproof::sim {

class SymmetricStates final : public PinnedObject {
 public:
  using Hosts = std::vector<std::unique_ptr<Host>>;
  using AllGroups = std::vector<std::unique_ptr<Groups>>;
  /// The clients' hosts come first.
  SymmetricStates(const Symmetry& symmetry, SharedContext& shared, Hosts& hosts, Links& links, AllGroups& groups,
                  MonitorStates& watchers)
      : symmetry_(symmetry), shared_(shared), hosts_(hosts), links_(links), groups_(groups), monitor_states_(watchers) {
  }

  // `places`: a number in Symmetry::all(). The image of a client's group is a group of the client whose place it takes.
  // FlatMap::none if it has not been computed yet.
  [[nodiscard]] Id known_group(std::size_t places, std::size_t client, Id group) const {
    return of_groups_.find(key(places, client, group));
  }
  [[nodiscard]] Id known_server(std::size_t places, std::size_t host, Id state) const {
    return state == 0 ? 0 : of_hosts_.find(key(places, host, state));
  }
  [[nodiscard]] Id known_watch(std::size_t places, std::size_t monitor, Id state) const {
    return of_watches_.find(key(places, monitor, state));
  }
  Id group(std::size_t places, std::size_t client, Id group);
  Id server(std::size_t places, std::size_t host, Id state) { return host_state(places, host, state); }
  Id watch(std::size_t places, std::size_t monitor, Id state);

 private:
  [[nodiscard]] static Key128 key(std::size_t places, std::size_t of, Id id) {
    return {std::uint64_t{places} << 32 | of, id};
  }
  [[nodiscard]] const Permutation& at(std::size_t places) const { return symmetry_.all()[places]; }
  Id host_state(std::size_t places, std::size_t host, Id state);
  [[nodiscard]] Input input(const Permutation& places, std::size_t host, Input input) const;
  Id link(std::size_t places, Id link);
  Id letter(const Permutation& places, Id letter);
  Id events(const Permutation& places, Id events);

  const Symmetry& symmetry_;
  SharedContext& shared_;
  Hosts& hosts_;
  Links& links_;
  AllGroups& groups_;
  MonitorStates& monitor_states_;
  FlatMap of_groups_, of_hosts_, of_links_, of_watches_;
};

}  // namespace lockproof::sim
