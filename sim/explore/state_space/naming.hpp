// SPDX-License-Identifier: Apache-2.0
// Naming: what tokens are called. Locks compare them for equality only, so states that differ in nothing but the names
// of tokens have the same future: they are one state, and the search visits the one whose tokens are named in the order
// of first sight. A host's state is known by what has led to it; the same with other names leads to the state with
// other names. Each is worked out once.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/explore/state_space/groups.hpp"

namespace lockproof::sim {

/// What each token is called instead; no two the same.
class Renaming {
 public:
  [[nodiscard]] bool has(TokenName token) const { return (named_ & bit_of(token)) != 0; }
  [[nodiscard]] TokenName of(TokenName token) const { return to_[token]; }
  void give(TokenName token, TokenName name) {
    to_[token] = name;
    named_ |= bit_of(token);
    taken_ |= bit_of(name);
  }
  /// Names for tokens that are in use no longer, but were on the way.
  void complete();

 private:
  std::array<TokenName, token_names * token_clients> to_{};
  std::uint64_t named_ = 0, taken_ = 0;
};

class Naming final : public Pinned {
 public:
  using Tuple = std::vector<Id>;
  using Hosts = std::vector<std::unique_ptr<Host>>;
  using AllGroups = std::vector<std::unique_ptr<Groups>>;
  /// The clients' hosts come first. A tuple has a group for each client, and then a state for each server.
  Naming(Shared& shared, const Hosts& hosts, Links& links, const AllGroups& groups)
      : shared_(shared), hosts_(hosts), links_(links), groups_(groups) {}

  /// At a glance: each client knows one token at most, called its first, and no other token is in use, but for one that
  /// only servers know, called by the last name of all. Then they are called what they should be; otherwise they may
  /// be.
  [[nodiscard]] bool is_plain(const Tuple& tuple) const;
  /// What its tokens should be called: a client's own in the order in which it knows them, then those that are on
  /// their way to or from it; the last names of all for those that only servers know. A lock keeps what it was born
  /// with. False: that is what they are called.
  [[nodiscard]] bool differs(const Tuple& tuple, Renaming& to) const;

  // The same with other names; FlatMap::none if it has not been worked out yet.
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

  Shared& shared_;
  const Hosts& hosts_;
  Links& links_;
  const AllGroups& groups_;
  std::map<std::string, Id> targets_;  // what a part's tokens are to be called, in the order of first sight
  FlatMap of_groups_, of_hosts_, of_links_;
};

}  // namespace lockproof::sim
