// SPDX-License-Identifier: Apache-2.0
// RealNodes: runs steps on several redis-servers of our own, whose clocks move only by our steps. We relay what a
// master sends to its replicas, one command at a time.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "conformance/redis/model_nodes.hpp"
#include "conformance/redis/step.hpp"
#include "real/os/janitor.hpp"
#include "real/trace_replay/replication_link.hpp"
#include "real/trace_replay/staged_server.hpp"

namespace lockproof::conformance::redis {

class RealNodes final : public PinnedObject {
 public:
  /// Throws real::BadEnvironment.
  explicit RealNodes(const std::string& program);
  ~RealNodes();

  /// Restores the initial state, also after a difference between the two sides.
  void reset();
  /// Runs one step, or commands over one connection.
  [[nodiscard]] Outcome run(std::span<const Step> steps);
  [[nodiscard]] std::string version();

 private:
  struct Client {
    std::unique_ptr<real::Wire> wire{};
    bool subscribed = false;
  };
  struct One {
    std::unique_ptr<real::StagedServer> server{};
    std::array<Client, connections> clients{};
    std::int64_t ahead_us = 0;
    int master = no_node;
    bool linked = false;
    std::unique_ptr<real::ReplicationLink> link{};  // the link whose commands it runs
    std::unique_ptr<real::ReplicationLink> next{};  // the link that will give it a copy
  };

  void perform(const Step& step, Outcome& outcome);
  void converse(std::span<const Step> commands, Outcome& outcome);
  void observe(One& one, const Client* asked, Outcome& outcome);
  void follow(One& one, int master);
  void deliver(One& one, std::size_t count, Outcome& outcome);
  void load(One& one);
  void promote(One& one);
  void fail_over(int node);
  void end(int node, bool without_warning);
  void unlink(One& one);
  void await_replicas(int master);
  void reconnect(One& one, Client& client);
  void set_up(One& one);
  void set_clock(One& one, std::int64_t clock_us) { one.server->set_clock((clock_us + one.ahead_us) / 1000); }
  [[nodiscard]] std::vector<std::string> contents(One& one);
  [[nodiscard]] Duration now() const { return Duration(clock_us_ - epoch_ms * 1000); }
  [[nodiscard]] One& at(int node) { return nodes_[static_cast<std::size_t>(node)]; }

  real::Janitor janitor_;
  std::array<harness::ServerSpec, persistences.size()> specs_;
  std::array<One, persistences.size()> nodes_;
  std::int64_t clock_us_ = epoch_ms * 1000;
};

}  // namespace lockproof::conformance::redis
