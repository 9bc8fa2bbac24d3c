// SPDX-License-Identifier: Apache-2.0
// RealSide: runs steps on a redis-server of our own whose wall clock moves only by our steps. It subscribes to the
// server's keyspace events, and acts as its replica to see what is replicated.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "conformance/redis/step.hpp"
#include "real/services/redis/server_process.hpp"

struct redisContext;
struct redisReply;

namespace lockproof::conformance::redis {

class RealSide final : public PinnedObject {
 public:
  /// `program`: the path of another build of redis-server; empty: the one in PATH. Throws real::BadEnvironment.
  explicit RealSide(const std::string& program);
  ~RealSide();

  /// Restores the initial state.
  void reset();
  /// Runs steps that begin with anything but commands, go on with commands over one connection, and end with steps of
  /// the clock, if commands need them to be answered.
  [[nodiscard]] Outcome run(std::span<const Step> steps);

  /// Ends everything that a difference between the two sides may have left pending: a pause, a wait, a lost connection.
  void recover();
  /// The server's own description: "redis-server 7.0.15".
  [[nodiscard]] std::string version();

 private:
  struct Close {
    void operator()(redisContext* context) const;
  };
  using Context = std::unique_ptr<redisContext, Close>;
  [[nodiscard]] Context connect();
  void follow();
  void reconnect(int connection);
  void set_clock(std::int64_t us);
  void send(redisContext& to, const std::vector<Value>& words);
  [[nodiscard]] Reply receive(redisContext& from);
  [[nodiscard]] Reply ask(redisContext& context, const std::vector<Value>& words);
  [[nodiscard]] Reply answer(int connection, const std::vector<Value>& words, Outcome& outcome);
  void fence(int asked, Outcome& outcome);
  void apply(const Step& step);
  void converse(std::span<const Step> commands, std::span<const Step> clocks, Outcome& outcome);
  void await_held(int connection);
  void set_min_replicas(int least);
  [[nodiscard]] bool has_answer(int connection);
  [[nodiscard]] redisContext& at(int connection) { return *contexts_[static_cast<std::size_t>(connection)]; }

  real::Janitor janitor_;
  real::ServerProcess server_;
  Context control_, observer_, replica_;
  std::vector<Context> contexts_;
  std::vector<std::string> ids_;  // the server's ids of the connections
  std::vector<bool> subscribed_;
  std::int64_t fences_ = 0;
  int timeout_ms_ = 1'000;
};

}  // namespace lockproof::conformance::redis
