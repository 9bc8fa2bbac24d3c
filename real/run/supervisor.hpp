// SPDX-License-Identifier: Apache-2.0
// Supervisor: runs one scenario: starts the servers and the clients, starts them together, serves the resource, drives
// the faults, watches the servers, and merges all records into one history.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/scenario/faults/triggers.hpp"
#include "real/client/client_handle.hpp"
#include "real/clock/world_time.hpp"
#include "real/network/event_loop.hpp"
#include "real/network/line_codec.hpp"
#include "real/network/proxy.hpp"
#include "real/options.hpp"
#include "real/os/janitor.hpp"
#include "real/record/board.hpp"
#include "real/record/lateness.hpp"
#include "real/run/fault_driver.hpp"
#include "real/run/merge.hpp"
#include "real/run/resource.hpp"
#include "real/services/service_driver.hpp"

namespace lockproof::real {

class Supervisor : public Pinned {
 public:
  Supervisor(const harness::Scenario& scenario, const Options& options);
  ~Supervisor();
  [[nodiscard]] harness::History run();

 private:
  void start_servers();
  void start_resource();
  [[nodiscard]] int first_member(std::size_t client) const;
  void start_clients();
  [[nodiscard]] Endpoint endpoint_of(std::size_t server, harness::HostIndex client);
  void attach();
  void attach_monitors();
  void await(const std::function<bool()>& done, const std::string& otherwise);
  void begin();
  void set_start();
  [[nodiscard]] bool servers_are_settled();
  void until_over();
  [[nodiscard]] bool is_under_way();
  void take_down();
  [[nodiscard]] harness::History history();

  void hear(harness::HostIndex client, const Notice& notice);
  void client_ended(harness::HostIndex client);
  void passes(const Proxy::Message& message);
  void answered(const Proxy::Message& message, std::string_view reply);
  void ended(harness::HostIndex client, harness::HostIndex server, int port);
  void dropped(const Proxy::Message& message);
  void accessed(Resource::Access access);
  [[nodiscard]] Stamped stamped(harness::HostIndex host, harness::Event event);
  std::size_t note(harness::HostIndex host, harness::Event event, const std::string& mark = {});
  [[nodiscard]] harness::Readings clocks_of(harness::HostIndex host, Duration at) const;
  [[nodiscard]] std::vector<Stamped> events_of(harness::HostIndex client);
  [[nodiscard]] ServerLog log_of(std::size_t server);
  void add_carried(std::vector<Stamped>& events);
  [[nodiscard]] harness::HostIndex header_host(const std::string& name) const;
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
  std::vector<harness::Triggers> triggers_;           // for the servers, and for the resource
  std::unique_ptr<Resource> resource_;
  const LineCodec resource_codec_;
  std::unique_ptr<Proxy> proxy_;  // null where the scenario needs none
  MasterPorts master_ports_;
  std::vector<int> public_ports_;                       // of all servers, if there are failover monitors
  std::vector<std::unique_ptr<ClientHandle>> clients_;  // forked before there is a loop
  std::unique_ptr<EventLoop> loop_;
  std::unique_ptr<FailoverMonitors> monitors_;  // null where there are none
  std::unique_ptr<FaultDriver> faults_;
  WorldTime time_{0, 1};
  std::vector<Stamped> events_;  // recorded in this process
  std::map<harness::HostIndex, std::map<std::string, Stamped>> marked_;
  using Carried = std::tuple<harness::HostIndex, harness::HostIndex, int, int>;  // client, server, port, number there
  std::map<Carried, int> messages_;                                              // the number of the message
  std::vector<std::pair<Carried, Stamped>> carried_;                             // drops, and accesses of the resource
  std::map<harness::HostIndex, int> accesses_;  // to the resource, by client, if they arrive in order
  std::size_t ready_ = 0, ended_ = 0;
  std::string word_;  // how the run ended
  Duration end_{};
  Lateness lateness_;
};

}  // namespace lockproof::real
