// SPDX-License-Identifier: Apache-2.0
// Supervisor: a real run whose clients are processes of ours: starts them together with the servers, serves the
// resource, and merges all records into one history.
#pragma once

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
#include "real/network/line_codec.hpp"
#include "real/run/merge.hpp"
#include "real/run/real_run.hpp"
#include "real/run/resource.hpp"

namespace lockproof::real {

class Supervisor final : private RealRun {
 public:
  Supervisor(const harness::Scenario& scenario, const Options& options);
  ~Supervisor() override;
  [[nodiscard]] harness::History run();

 private:
  void start_resource();
  [[nodiscard]] int first_member(std::size_t client) const;
  void start_clients();
  [[nodiscard]] ClientHandle::Member member(std::size_t client, const std::vector<int>& masters);
  [[nodiscard]] Endpoint endpoint_of(std::size_t server, harness::HostIndex client);
  void attach();
  void begin();
  void until_over();
  [[nodiscard]] bool is_under_way();
  void take_down();
  [[nodiscard]] harness::History history();

  void hear(harness::HostIndex client, const Notice& notice);
  [[nodiscard]] const std::string& name_of(harness::HostIndex host) const;
  void client_ended(harness::HostIndex client);
  void passes(const Proxy::Message& message);
  void answered(const Proxy::Message& message, std::string_view reply);
  void ended(harness::HostIndex client, harness::HostIndex server, int port);
  void dropped(const Proxy::Message& message);
  void accessed(Resource::Access access);
  [[nodiscard]] StampedEvent stamped(harness::HostIndex host, harness::Event event);
  std::size_t note(harness::HostIndex host, harness::Event event, const std::string& mark) override;
  void add_effect(std::size_t event, harness::Effect effect) override;
  bool lead(harness::HostIndex client, harness::HostIndex old, harness::HostIndex promoted) override;
  [[nodiscard]] int port_for_replica(std::size_t server, harness::HostIndex replica) override;
  [[nodiscard]] harness::Readings clocks_of(harness::HostIndex host, Duration at) const;
  [[nodiscard]] std::vector<StampedEvent> events_of(harness::HostIndex client);
  [[nodiscard]] ServerLog log_of(std::size_t server);
  void add_carried(std::vector<StampedEvent>& events);
  [[nodiscard]] harness::HostIndex header_host(const std::string& name) const;

  std::vector<harness::Triggers> triggers_;  // for the servers, and for the resource
  std::unique_ptr<Resource> resource_;
  const LineCodec resource_codec_;
  std::vector<std::unique_ptr<ClientHandle>> clients_;  // forked before there is a loop
  std::vector<StampedEvent> events_;                    // recorded in this process
  std::map<harness::HostIndex, std::map<std::string, StampedEvent>> marked_;
  using Carried = std::tuple<harness::HostIndex, harness::HostIndex, int, int>;  // client, server, port, number there
  std::map<Carried, int> messages_;                                              // the number of the message
  std::vector<std::pair<Carried, StampedEvent>> carried_;                        // drops, and accesses of the resource
  std::map<harness::HostIndex, int> accesses_;  // to the resource, by client, if they arrive in order
  std::size_t ready_ = 0, ended_ = 0;
  Duration end_{};
};

}  // namespace lockproof::real
