// SPDX-License-Identifier: Apache-2.0
// Groups: a client together with its links, as one number. What is under way to and from a client depends on little but
// the client, so there are hardly more groups than states of clients; and most events change one group and a server.
// What an event does to a group is an Effect, computed once.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "search/automata/host.hpp"
#include "search/containers/tuples.hpp"

namespace lockproof::sim {

/// An input to a server that has no effect on the others.
struct NoOpInput {
  int server = 0;
  std::uint64_t key = 0;  // of the input
  Input input{};
};

/// What a client's event does to the client and its links, while no paused server holds letters.
struct Effect {
  Id group = 0;
  Id used = Budgets::nothing;  // of the budget
  const Outcome* outcome = nullptr;
  std::vector<Id> losses{};  // events of commands that will never run
  std::vector<NoOpInput> quiet{};
  bool reaches = false;  // it has consequences at other sites: then only the outcome is known
};

/// The traits of a group that are read often.
struct Group {
  Duration due{};                           // until the client's next event, or until the first message arrives
  std::uint64_t tokens = 0, known = 0;      // tokens that it names anywhere, and in the client's state; a bit each
  std::uint32_t requests = 0, replies = 0;  // servers to and from which something arrives now, a bit each
  std::uint32_t idle = 0;                   // servers to which a closed wire is empty
  int locals = 0;                           // number of the client's own events that are due now
  bool plans = false;                       // … one of them is a fault, or the end of one
  bool may_undo = false;                    // a request that arrives now may undo another arrival of this instant
  bool inside = false, entitled = false, interested = false, over = false, wants = false;
  Id shape = 0;  // equal for groups of any clients that differ only in the names of tokens
};

/// A request that is removed from a link.
struct RemovedRequest {
  Id group = 0, letter = 0;
  int slot = 0, distance = 0;
};

/// All groups of one client.
class Groups final : public PinnedObject {
 public:
  /// `shapes`: shared by the groups of all clients.
  Groups(const Host& client, const Links& links, std::size_t servers, Tuples& shapes)
      : client_(client), links_(links), servers_(servers), shapes_(shapes), parts_(servers + 1) {}

  [[nodiscard]] const Group& at(Id group) const { return groups_[group]; }
  /// The client's state, followed by the states of its links.
  [[nodiscard]] const Id* parts(Id group) const { return parts_.at(group); }
  [[nodiscard]] Id link(Id group, std::size_t server) const { return parts_.at(group)[1 + server]; }
  /// The tokens that it names, each once: first those in the client's state, then those under way.
  [[nodiscard]] const std::vector<TokenName>& names(Id group) const { return names_[group]; }
  [[nodiscard]] Id find(const Id* parts) const { return parts_.find(parts); }
  Id add(const Id* parts);
  [[nodiscard]] std::size_t size() const { return groups_.size(); }
  [[nodiscard]] std::size_t servers() const { return servers_; }
  [[nodiscard]] std::uint64_t bytes() const { return parts_.bytes(); }

  FlatMap ages{}, pushed{}, taken{}, effects{};
  std::deque<std::vector<Effect>> made{};  // by the numbers in `effects`; references stay good
  std::deque<RemovedRequest> requests{};   // by the numbers in `taken`

 private:
  const Host& client_;
  const Links& links_;
  const std::size_t servers_;
  Tuples& shapes_;
  Tuples parts_;
  std::vector<Group> groups_;
  std::deque<std::vector<TokenName>> names_;
};

}  // namespace lockproof::sim
