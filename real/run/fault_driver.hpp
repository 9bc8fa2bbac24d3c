// SPDX-License-Identifier: Apache-2.0
// FaultDriver: the supervisor's hand in the faults. It strikes those that are placed by time, those that a client or a
// server comes to at one of its events, and ends what has an end, also the pauses that clients begin themselves.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/history/event.hpp"
#include "harness/scenario/scenario.hpp"
#include "real/client/client_handle.hpp"
#include "real/client/client_link.hpp"
#include "real/client/suspensions.hpp"
#include "real/clock/world_time.hpp"
#include "real/network/event_loop.hpp"
#include "real/network/proxy.hpp"
#include "real/record/board.hpp"
#include "real/services/failover_monitors.hpp"
#include "real/services/server_host.hpp"

namespace lockproof::real {

/// Whom faults can strike; no servers: they are not ours to strike. The proxy and the failover monitors are null where
/// the scenario needs none.
struct Cast {
  std::vector<ClientHandle*> clients;
  std::vector<ServerHost*> servers;
  Board& board;
  Proxy* proxy;
  FailoverMonitors* monitors;
  std::map<std::pair<harness::HostIndex, harness::HostIndex>, int> master_ports;  // where a replica finds a master
  std::function<void(std::size_t event, harness::Effect)> add_effect;  // to an event that was noted without a mark
};

class FaultDriver : public Pinned {
 public:
  /// Writes an event of a host down; with a mark: at the place where the server's log has the mark, or, of a client, if
  /// it does not say so itself. Answers its number.
  using Note = std::function<std::size_t(harness::HostIndex, harness::Event, std::string mark)>;

  /// Hears of each thing done by time: when it was to be done, and when it was, in machine nanoseconds.
  using Done = std::function<void(std::int64_t due_ns, std::int64_t now_ns)>;

  FaultDriver(EventLoop& loop, const harness::Scenario& scenario, Cast cast, Note note, Done done);

  /// The scenario is about to start, and nobody runs yet: faults of its first instant strike now, so that no client can
  /// be quicker; those of later instants are planned.
  void start(WorldTime time);
  /// Strikes now, or at a later scenario instant. `message`: that it strikes, or at whose event it does.
  void provoke(std::size_t fault, Duration when, const StruckMessage& message);
  /// A client stops itself for this fault, until then; and goes on again.
  void stops_itself(harness::HostIndex client, std::size_t fault, Duration until);
  void woke(harness::HostIndex client) { state(client).stops_itself = false; }
  /// A client kills itself.
  void crashes(harness::HostIndex client) { state(client).crashed = true; }

  [[nodiscard]] bool crashed(harness::HostIndex host) { return state(host).crashed; }
  [[nodiscard]] bool stands_still(harness::HostIndex host) { return state(host).pauses > 0; }
  /// For how long a host has been suspended by then.
  [[nodiscard]] Duration stood(harness::HostIndex host, Duration at) { return state(host).suspensions.stood(at); }
  [[nodiscard]] bool is_down(harness::HostIndex host) { return state(host).down; }
  /// Whether some fault has its instant, and that is still to come.
  [[nodiscard]] bool is_to_strike() const { return to_strike_ > 0; }
  /// A replica asks for a copy of everything now: writes down when it has it.
  void copies(harness::HostIndex replica);

 private:
  struct State {
    int pauses = 0;  // that hold it now, suspensions among them
    Suspensions suspensions;
    bool stops_itself = false;  // it has said so, and has not said yet that it goes on
    bool crashed = false;       // by a fault
    bool down = false;          // nobody finds it, though its process may have started again
    bool late = false;          // it should be up again, and is not yet
    bool copies = false;        // it has not got what its master has, and is looked at until it has
  };
  [[nodiscard]] State& state(harness::HostIndex host) { return states_.at(static_cast<std::size_t>(host)); }
  [[nodiscard]] harness::HostIndex host_named(const std::string& name) const;
  [[nodiscard]] harness::HostIndex first_server() const;
  [[nodiscard]] ServerHost* server(harness::HostIndex host);  // null: a client, the resource, or not ours
  [[nodiscard]] ChildProcess& process(harness::HostIndex host);

  /// Scenario time; before the start its first instant.
  [[nodiscard]] Duration now() const { return std::max(time_.now(), Duration{}); }
  void at(Duration when, std::function<void()> act);
  void mark_message(std::size_t fault, const StruckMessage& message);
  void strike_at(Duration when, std::size_t fault);
  void strike(std::size_t fault);
  void strike_client(const harness::Fault& fault, harness::HostIndex host, std::size_t index);
  void strike_server(const harness::Fault& fault, harness::HostIndex host, std::size_t index);
  void heal(std::size_t fault);
  void stand(const harness::Fault& fault, harness::HostIndex host, bool on);
  void suspend(harness::HostIndex host, Duration when, bool on);
  void pause(harness::HostIndex host, bool on);
  void end_own_pause(harness::HostIndex client);
  void set_rate(harness::HostIndex host, std::int64_t ppb);
  void hold(std::size_t fault, harness::HostIndex target, bool on);
  void break_connection(const harness::Fault& fault, harness::HostIndex client);
  void take_down(const harness::Fault& fault, harness::HostIndex host, std::size_t index);
  void bring_up(harness::HostIndex host, std::size_t fault);
  void fail_over(const harness::Fault& fault, harness::HostIndex old);
  void replicate(harness::HostIndex replica, harness::HostIndex master);
  void tell_to_follow(harness::HostIndex replica, int port);
  void look_for_copy(harness::HostIndex replica);
  [[nodiscard]] harness::HostIndex master_of(harness::HostIndex replica);
  [[nodiscard]] int master_port(harness::HostIndex replica);

  EventLoop& loop_;
  const harness::Scenario& scenario_;
  const Cast cast_;
  const Note note_;
  const Done done_;
  WorldTime time_{0, 1};
  std::vector<State> states_;
  int to_strike_ = 0;
  std::map<std::size_t, harness::HostIndex> stalled_;  // by the fault: whose commands do not reach the replica
  std::vector<std::unique_ptr<EventLoop::Timer>> timers_;
};

}  // namespace lockproof::real
