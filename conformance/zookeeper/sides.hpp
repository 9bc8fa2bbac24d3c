// SPDX-License-Identifier: Apache-2.0
// Sides: the simulated ZooKeeper and the real one of a comparison, with the same clients. A session that shall live is
// kept by pings on both.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "conformance/core/comparison.hpp"
#include "conformance/zookeeper/mutants.hpp"
#include "conformance/zookeeper/real_side.hpp"
#include "conformance/zookeeper/steps.hpp"
#include "sim/services/zookeeper/server.hpp"

namespace lockproof::conformance::zookeeper {

using Differ = std::optional<Mismatch>;

class Sides : public PinnedObject {
 public:
  Sides(const Mutant* mutant, const std::string& jar) : mutant_(mutant), real_(jar) {}

  void reset();
  [[nodiscard]] Differ run(const Step& step);
  /// What watches have told to anybody so far. To be called when a sequence is over.
  [[nodiscard]] Differ rest();

  [[nodiscard]] std::set<int> without_session() const;
  [[nodiscard]] std::int64_t made() const { return model_->tree().made(); }
  /// Whether a client was silent for too long without being meant to: nothing that follows can be compared.
  [[nodiscard]] bool late() const { return late_; }
  [[nodiscard]] const Reply& last_reply() const { return last_; }
  [[nodiscard]] std::uint64_t told() const { return told_; }

 private:
  struct Client {
    real::SessionKey key{};    // id 0: it has no session
    std::int64_t session = 0;  // the simulated one
    milliseconds timeout{};
    int connection = 0;         // the simulated one
    std::int64_t heard_ns = 0;  // when its last request left
    std::vector<std::string> to_be_told{}, was_told{};
  };
  [[nodiscard]] Client& of(int client) { return clients_.at(static_cast<std::size_t>(client - 1)); }
  [[nodiscard]] Differ connect(int client, int ticks);
  [[nodiscard]] Differ request(int client, std::vector<Value> words);
  [[nodiscard]] Differ reconnect(int client);
  [[nodiscard]] Differ overtake(int client);
  [[nodiscard]] Differ go_on(int client, real::ZooKeeperControl& over, int connection);
  [[nodiscard]] Differ compare_end(int connection, real::ZooKeeperControl& real);
  [[nodiscard]] Differ silence(int client);
  [[nodiscard]] Differ hush(int client);
  [[nodiscard]] Differ compare_told(int client);
  [[nodiscard]] bool somebody_may_have_ended() const;
  [[nodiscard]] Differ keep_others(int client);
  [[nodiscard]] Reply simulate(int client, Command command, std::int64_t at_ns);
  void act(std::int64_t at_ns);
  void push(const std::vector<sim::Push>& pushes);
  [[nodiscard]] bool lives(const Client& client, std::int64_t at_ns) const;
  void forget_session(int client);
  void end_connection(Client& client);

  const Mutant* const mutant_;
  RealSide real_;
  std::unique_ptr<sim::zookeeper::Server> model_;
  std::array<Client, clients> clients_;
  int connections_ = 0;
  std::set<int> closed_;  // the simulated server has closed them
  bool late_ = false;
  int silent_ = 0;  // this client's session shall end: watches may tell of it a moment before the simulated ones do
  Reply last_ = Reply::nil();
  std::uint64_t told_ = 0;
};

}  // namespace lockproof::conformance::zookeeper
