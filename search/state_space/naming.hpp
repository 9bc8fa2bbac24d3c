// SPDX-License-Identifier: Apache-2.0
// Naming: the names of tokens. Locks compare tokens for equality only, so states that differ only in the names of
// tokens have the same future: they are one state, and the search visits the one whose tokens are named in the order of
// first sight. A host's state is known by the inputs that have led to it; the same inputs with other names lead to the
// state with other names. Each renaming is computed once.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "search/state_space/groups.hpp"

namespace lockproof::sim {

/// The new name of each token; all are different.
class Renaming {
 public:
  [[nodiscard]] bool has(TokenName token) const { return (named_ & bit_of(token)) != 0; }
  [[nodiscard]] TokenName of(TokenName token) const { return to_[token]; }
  void give(TokenName token, TokenName name) {
    to_[token] = name;
    named_ |= bit_of(token);
    taken_ |= bit_of(name);
  }
  /// Names for tokens that are no longer in use, but were on the path.
  void complete();

 private:
  std::array<TokenName, token_names * token_clients> to_{};
  std::uint64_t named_ = 0, taken_ = 0;
};

class Naming final : public PinnedObject {
 public:
  using Tuple = std::vector<Id>;
  using Hosts = std::vector<std::unique_ptr<Host>>;
  using AllGroups = std::vector<std::unique_ptr<Groups>>;
  /// The clients' hosts come first. A tuple has a group for each client, and then a state for each server.
  Naming(SharedContext& shared, const Hosts& hosts, Links& links, const AllGroups& groups)
      : shared_(shared), hosts_(hosts), links_(links), groups_(groups) {}

  /// A quick test: each client knows at most one token, by its own first name, and no other token is in use, except one
  /// that only servers know, by the last name of all. Then the names are canonical; otherwise they may be.
  [[nodiscard]] bool is_plain(const Tuple& tuple) const;
  /// The canonical names: a client's own tokens in the order in which it knows them, then those under way to or from
  /// it; the last names of all for those that only servers know. A lock keeps the names of tokens that it was created
  /// with. False: the tokens have these names already.
  [[nodiscard]] bool differs(const Tuple& tuple, Renaming& to) const;

  // The same with other names; FlatMap::none if it has not been computed yet.
  [[nodiscard]] Id known_group(std::size_t client, Id group, const Renaming& to) const;
  [[nodiscard]] Id known_server(std::size_t host, Id state, const Renaming& to) const;
  Id group(std::size_t client, Id group, Renaming to);
  Id server(std::size_t host, Id state, Renaming to);

 private:
  using Names = std::vector<TokenName>;
  static constexpr Id same = FlatMap::none;

  [[nodiscard]] Id known_targets(const Names& names, const Renaming& to) const;
  Id targets(const Names& names, const Renaming& to);
  [[nodiscard]] static Key128 key(std::size_t of, Id targets, Id id) { return {std::uint64_t{targets} << 32 | of, id}; }
  Id host_state(std::size_t host, Id state, const Renaming& to);
  [[nodiscard]] static Input input(Input input, const Renaming& to);
  Id link(Id link, const Renaming& to);

  SharedContext& shared_;
  const Hosts& hosts_;
  Links& links_;
  const AllGroups& groups_;
  std::map<std::string, Id> targets_;  // the new names of a part's tokens, in the order of first sight
  FlatMap of_groups_, of_hosts_, of_links_;
};

}  // namespace lockproof::sim
