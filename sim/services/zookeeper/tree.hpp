// SPDX-License-Identifier: Apache-2.0
// Tree: the sessions, ephemeral nodes and watches of one simulated ZooKeeper. A plain value without a clock: times are
// numbers of ticks. There is one parent, the lock's node, which is there from the start; a node is named by its whole
// name, and belongs to the session that made it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/history/event.hpp"

namespace lockproof::sim::zookeeper {

struct Session {
  harness::HostIndex client;
  std::int64_t timeout_ms;
  std::int64_t ends;   // the tick at which it ends if nothing more is heard of it
  int connection = 0;  // on which its last request came; 0: that has ended
  bool operator==(const Session&) const = default;
};

struct Watch {
  int connection;
  std::string path;
  bool operator==(const Watch&) const = default;
};

/// A node: whose it is, and the number behind its name; 0: it has none.
struct Node {
  std::int64_t session;
  std::int64_t number;
  bool operator==(const Node&) const = default;
};

class Tree {
 public:
  explicit Tree(std::string parent) : parent_(std::move(parent)) {}

  std::int64_t open(const Session& session);
  /// Null: there is none, or it has ended.
  [[nodiscard]] Session* session(std::int64_t id);
  [[nodiscard]] const std::map<std::int64_t, Session>& sessions() const { return sessions_; }
  [[nodiscard]] std::map<std::int64_t, Session>& sessions() { return sessions_; }
  [[nodiscard]] bool has_nodes(std::int64_t session) const;
  /// Ends a session and deletes its nodes, which are returned.
  std::vector<std::string> close(std::int64_t session);

  [[nodiscard]] bool is_child(const std::string& path) const;
  /// The whole name of the node that was made; nothing: there is one of that name.
  std::optional<std::string> make(std::int64_t session, const std::string& path, bool numbered);
  bool remove(const std::string& path);
  [[nodiscard]] bool exists(const std::string& path) const { return path == parent_ || nodes_.contains(path); }
  [[nodiscard]] const std::map<std::string, Node>& nodes() const { return nodes_; }
  [[nodiscard]] const std::string& parent() const { return parent_; }
  /// How many nodes were made under the parent so far: the next one's number.
  [[nodiscard]] std::int64_t made() const { return made_; }
  [[nodiscard]] std::int64_t opened() const { return opened_; }
  /// How many changes there were so far.
  [[nodiscard]] std::int64_t changes() const { return changes_; }
  /// Becomes as another one is, but for its watches.
  void follow(const Tree& other);
  /// The session of the node with the lowest number: it has the lock.
  [[nodiscard]] std::optional<std::int64_t> first() const;

  void watch(int connection, const std::string& path);
  /// The connections that watch this node, which has changed: they are told once.
  std::vector<int> take_watches(const std::string& path);
  void forget(int connection);
  void forget_watches() { watches_.clear(); }
  [[nodiscard]] const std::vector<Watch>& watches() const { return watches_; }
  bool operator==(const Tree&) const = default;

 private:
  std::string parent_;
  std::map<std::int64_t, Session> sessions_;
  std::map<std::string, Node> nodes_;
  std::vector<Watch> watches_;  // in the order in which they were left
  std::int64_t opened_ = 0, made_ = 0, changes_ = 0;
};

}  // namespace lockproof::sim::zookeeper
