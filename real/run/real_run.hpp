// SPDX-License-Identifier: Apache-2.0
// RealRun: what every real run has, whatever its clients are: the servers, the proxy in front of them, the failover
// monitors, the faults, and the start of scenario time. A derived class has the clients, and makes the history.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/history/history.hpp"
#include "real/clock/world_time.hpp"
#include "real/network/event_loop.hpp"
#include "real/network/proxy.hpp"
#include "real/options.hpp"
#include "real/os/janitor.hpp"
#include "real/record/board.hpp"
#include "real/record/lateness.hpp"
#include "real/run/fault_driver.hpp"
#include "real/services/service_driver.hpp"

namespace lockproof::real {

class RealRun : public PinnedObject {
 protected:
  /// `last_act`: what remains to be done when all clients have ended, in whatever way; may be empty.
  RealRun(const harness::Scenario& scenario, const Options& options, std::function<std::string()> last_act);
  /// A derived class destroys what watches the loop before this.
  virtual ~RealRun();

  // What depends on the clients.
  /// Records an event of a host; see FaultDriver::Note.
  virtual std::size_t note(harness::HostIndex host, harness::Event event, const std::string& mark) = 0;
  /// An event that was noted without a mark has had this effect.
  virtual void add_effect(std::size_t event, harness::Effect effect) = 0;
  /// What the client sends to the old master it sends to the promoted one from now on. False: it did before.
  virtual bool lead(harness::HostIndex client, harness::HostIndex old, harness::HostIndex promoted) = 0;
  /// At which port a replica reaches a server.
  [[nodiscard]] virtual int port_for_replica(std::size_t server, harness::HostIndex replica) = 0;
  /// Runs the loop for a moment at most. Throws as `must_go_on` does.
  virtual void turn();
  /// Throws harness::Stopped if the run is stopped, and BadEnvironment if it takes longer than it may.
  void must_go_on() const;

  void start_servers();
  /// `clients`: as faults strike them. Requires the loop.
  void attach_servers(std::vector<StruckClient*> clients);
  /// Runs the loop until the condition is true; throws BadEnvironment with `otherwise`.
  void await(const std::function<bool()>& done, const std::string& otherwise);
  void link_servers();
  void start_monitors();
  /// Sets the servers' clocks for a start soon, until all servers are settled by their clocks.
  void set_start();
  [[nodiscard]] harness::HostIndex first_server() const {
    return static_cast<harness::HostIndex>(scenario_.clients.size());
  }
  [[nodiscard]] harness::HostIndex resource_host() const {
    return first_server() + static_cast<harness::HostIndex>(scenario_.servers.size());
  }

  const harness::Scenario& scenario_;
  const Options options_;
  const std::unique_ptr<ServiceDriver> driver_;
  harness::Header header_;
  Janitor janitor_;  // before everything that could be left behind
  Board board_;
  std::vector<std::unique_ptr<ServerHost>> servers_;  // the scenario's servers; none: they are external
  std::unique_ptr<Proxy> proxy_;                      // null where the scenario needs none
  MasterPorts master_ports_;
  std::vector<int> public_ports_;  // of all servers, if there are failover monitors
  std::unique_ptr<EventLoop> loop_;
  std::unique_ptr<FailoverMonitors> monitors_;  // null where there are none
  std::unique_ptr<FaultDriver> faults_;
  WorldTime time_{0, 1};
  std::string word_;  // how the run ended
  Lateness lateness_;

 private:
  const std::int64_t end_ns_;  // of the machine's time
  void start_clocks();
};

}  // namespace lockproof::real
