// SPDX-License-Identifier: Apache-2.0
// FaultDriver: the supervisor's part of the faults. It makes faults strike that are placed by time or at an event of a
// client or server, and heals those that have an end, including the pauses that clients begin themselves.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/history/event.hpp"
#include "harness/scenario/scenario.hpp"
#include "real/client/client_link.hpp"
#include "real/client/stopped_clock.hpp"
#include "real/client/struck_client.hpp"
#include "real/clock/world_time.hpp"
#include "real/network/event_loop.hpp"
#include "real/network/proxy.hpp"
#include "real/os/process_control.hpp"
#include "real/record/board.hpp"
#include "real/run/replica_links.hpp"
#include "real/services/failover_monitors.hpp"
#include "real/services/server_host.hpp"
#include "real/services/service_driver.hpp"

namespace lockproof::real {

/// The hosts that faults can strike; no servers if these are external. The proxy and the failover monitors are null
/// where the scenario needs none.
struct Cast {
  std::vector<StruckClient*> clients{};
  std::vector<ServerHost*> servers{};
  Board& board;
  Proxy* proxy = nullptr;
  FailoverMonitors* monitors = nullptr;
  ServiceDriver* service = nullptr;  // of an ensemble
  MasterPorts master_ports;
  std::function<void(std::size_t event, harness::Effect)> add_effect;  // for an event noted without a mark
  /// What the client sends to the old master it sends to the one that was promoted from now on. False: it did before.
  std::function<bool(harness::HostIndex client, harness::HostIndex old, harness::HostIndex promoted)> lead;
};

class FaultDriver : public PinnedObject {
 public:
  /// Records an event of a host. With a mark, it is placed where the server's log has the mark, or, for a client, used
  /// only if the client does not record it itself. Returns its number.
  using Note = std::function<std::size_t(harness::HostIndex, harness::Event, std::string mark)>;

  /// Called for each action placed by time with the instants at which it was due and done, in machine nanoseconds.
  using DoneCallback = std::function<void(std::int64_t due_ns, std::int64_t now_ns)>;

  FaultDriver(EventLoop& loop, const harness::Scenario& scenario, Cast cast, Note note, DoneCallback done);

  /// Call just before the scenario starts, when no client runs yet: faults of its first instant strike now, before any
  /// client's command; those of later instants are planned.
  void start(WorldTime time);
  /// Strikes now, or at a later scenario instant. `message`: the message that it strikes, or at whose event it strikes.
  void trigger_fault(std::size_t fault, Duration when, const StruckMessage& message);
  /// A client stops itself for this fault until an instant; and it goes on again.
  void stops_itself(harness::HostIndex client, std::size_t fault, Duration until);
  void woke(harness::HostIndex client) { state(client).stops_itself = false; }
  /// A client kills itself.
  void crashes(harness::HostIndex client) { state(client).crashed = true; }

  /// An event by which faults may end, see Fault::until.
  void happens(const harness::EventPlace& event);

  [[nodiscard]] bool crashed(harness::HostIndex host) { return state(host).crashed; }
  [[nodiscard]] bool stands_still(harness::HostIndex host) { return state(host).pauses > 0; }
  /// For how long a host's monotonic clock has stood by then.
  [[nodiscard]] Duration stood(harness::HostIndex host, Duration at) { return state(host).mono.stood(at); }
  [[nodiscard]] bool is_down(harness::HostIndex host) { return state(host).down; }
  /// Whether some fault is planned and has not struck yet.
  [[nodiscard]] bool is_to_strike() const { return to_strike_ > 0; }
  /// A replica requests a full copy now: records when it has it.
  void copies(harness::HostIndex replica);

 private:
  struct State {
    int pauses = 0;  // faults that stop it now
    StoppedClock mono;
    bool stops_itself = false;  // it has reported its pause, and not yet that it goes on
    bool crashed = false;       // killed by a fault
    bool down = false;          // it cannot be reached, though its process may have started again
    bool late = false;          // it should be up again, and is not yet
    bool copies = false;        // it lacks its master's data, and is polled until it has them
  };
  [[nodiscard]] State& state(harness::HostIndex host) { return states_.at(static_cast<std::size_t>(host)); }
  [[nodiscard]] harness::HostIndex host_named(const std::string& name) const;
  [[nodiscard]] harness::HostIndex first_server() const;
  [[nodiscard]] ServerHost* server(harness::HostIndex host);  // null: a client, the resource, or not ours
  [[nodiscard]] ProcessControl& process(harness::HostIndex host);

  /// Scenario time; before the start, the scenario's first instant.
  [[nodiscard]] Duration now() const { return std::max(time_.now(), Duration{}); }
  void at(Duration when, std::function<void()> act);
  void mark_message(std::size_t fault, const StruckMessage& message);
  void strike_at(Duration when, std::size_t fault);
  void strike(std::size_t fault);
  void strike_client(const harness::Fault& fault, harness::HostIndex host, std::size_t index);
  void strike_server(const harness::Fault& fault, harness::HostIndex host, std::size_t index);
  void change_store(const harness::Fault& fault, harness::HostIndex host, std::size_t index);
  void heal_once(std::size_t fault);
  void heal(std::size_t fault);
  [[nodiscard]] bool is_outside(harness::HostIndex host) const;
  void stand(const harness::Fault& fault, harness::HostIndex host, bool on);
  void stop_clock(harness::HostIndex host, Duration when, bool on);
  void pause(harness::HostIndex host, bool on);
  void end_own_pause(harness::HostIndex client);
  void set_rate(harness::HostIndex host, std::int64_t ppb);
  void hold(std::size_t fault, harness::HostIndex target, bool on);
  void hold_between(harness::HostIndex from, harness::HostIndex to, bool on);
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
  const DoneCallback done_;
  WorldTime time_{0, 1};
  std::vector<State> states_;
  int to_strike_ = 0;
  std::map<std::size_t, int> struck_;  // faults that have struck, and how often the event that ends each has happened
  std::set<std::size_t> healed_;
  std::map<std::size_t, StruckMessage> struck_messages_;
  std::map<std::size_t, harness::HostIndex> stalled_;  // by the fault: the master whose commands are held
  std::vector<std::unique_ptr<EventLoop::Timer>> timers_;
};

}  // namespace lockproof::real
