// SPDX-License-Identifier: Apache-2.0
// ServerHost: one server of a run, as the supervisor and the faults see it, whatever its service: its process, its
// clocks, what it stores, and the evidence of what it ran. Replication: the interface of servers that can replicate
// each other.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/port/pinned_object.hpp"
#include "harness/history/event.hpp"
#include "harness/scenario/scenario.hpp"
#include "real/clock/world_time.hpp"
#include "real/network/event_loop.hpp"
#include "real/network/proxy.hpp"
#include "real/os/child_process.hpp"
#include "real/record/execution.hpp"

namespace lockproof::real {

class Replication {
 public:
  virtual ~Replication() = default;
  /// Makes it a replica of the server at this port, or, with 0, a master.
  virtual void replicate_from(int port) = 0;
  /// Another process has made it a replica of the server at this port, or, with 0, a master.
  virtual void follows(int port) = 0;
  /// The port at which it finds its master; 0: it has none.
  [[nodiscard]] virtual int master_port() const = 0;
  /// Whether its link to its master is up, and it has a copy of the master's data.
  [[nodiscard]] virtual bool in_step() = 0;
};

class ServerHost : public PinnedObject {
 public:
  virtual ~ServerHost() = default;

  [[nodiscard]] virtual const harness::ServerSpec& spec() const = 0;
  [[nodiscard]] virtual int port() const = 0;
  /// The process that runs now, or that ran last.
  [[nodiscard]] virtual ChildProcess& child() = 0;
  /// Whether it has been ended, and is not up again.
  [[nodiscard]] virtual bool down() const = 0;

  // Called in this order before the scenario starts; at the end the server is detached from the loop.
  /// Returns when it answers. Throws BadEnvironment with what it said last if it does not.
  virtual void await_ready() = 0;
  virtual void attach(EventLoop& loop) = 0;
  /// Sets its clock to the start of scenario time. `loses_power`: records how much a power cut would lose.
  virtual void start(WorldTime time, bool loses_power) = 0;
  /// Whether it is in the state required at the start, by its current clock.
  [[nodiscard]] virtual bool is_settled() { return true; }
  virtual void detach() = 0;

  // Its clocks.
  /// What the clocks show at an instant, given for how long the host has been suspended.
  [[nodiscard]] virtual harness::Readings clocks(Duration at, Duration stood) = 0;
  /// The wall clock jumps.
  virtual void jump(Duration by) = 0;
  virtual void set_rate(Duration now, std::int64_t ppb) = 0;

  // Its start and end.
  /// An orderly end, in which it may save what it stores.
  virtual void shut_down() = 0;
  /// Ends without warning; what is on disk afterwards is what its persistence keeps when the power is lost.
  virtual void lose_power() = 0;
  virtual void kill() = 0;
  /// Starts it again on the same port; `up` is called when it answers.
  virtual void start_again(std::function<void()> up) = 0;

  // What it stores.
  /// Whether clients see this key; whether it is stored, even if it has expired. Neither call deletes it.
  [[nodiscard]] virtual bool shows(const std::string& key) = 0;
  [[nodiscard]] virtual bool has(const std::string& key) = 0;
  /// A fault that changes what it stores, or what it does with commands (evict, flush, …), strikes: an execution with
  /// this mark says where.
  virtual void apply(const harness::Fault& fault, const std::string& lock, const std::string& mark) = 0;

  // The evidence.
  /// Waits until everything sent to it has run and been observed. False: it does not answer.
  virtual bool finish() = 0;
  /// All commands that it ran, in its order.
  [[nodiscard]] virtual std::vector<Execution> executions() = 0;
  /// The server has answered a client, at the proxy: for services that are watched there, see
  /// ServiceDriver::watched_at_proxy. The reply may reach the client later, or never.
  virtual void answered(const Proxy::Message& /*message*/, std::string_view /*reply*/) {}

  /// The server has ended its end of a connection of a client's, or both ends have been cut.
  virtual void ended(int /*port*/) {}

  /// Null: servers of this service do not replicate each other.
  [[nodiscard]] virtual Replication* replication() { return nullptr; }
};

}  // namespace lockproof::real
