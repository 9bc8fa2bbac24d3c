// SPDX-License-Identifier: Apache-2.0
// Sites: the parts of a world that the search runs alone. A site is one client, or a server together with those that it
// replicates with: they change each other's state by messages of their own, and a failover concerns all of them. The
// clients' sites come first, in the clients' order; then those of servers, in the order of the first server of each;
// the resource is the last.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/history/event.hpp"
#include "harness/scenario/scenario.hpp"

namespace lockproof::sim {

class Sites {
 public:
  explicit Sites(const harness::Scenario& scenario);

  [[nodiscard]] std::size_t clients() const { return clients_; }
  [[nodiscard]] std::size_t servers() const { return site_of_.size(); }  // with the resource
  [[nodiscard]] std::size_t count() const { return clients_ + members_.size(); }
  [[nodiscard]] bool is_client(std::size_t site) const { return site < clients_; }
  /// Servers are counted from 0.
  [[nodiscard]] std::size_t of_server(int server) const { return site_of_[static_cast<std::size_t>(server)]; }
  [[nodiscard]] std::size_t of_host(harness::HostIndex host) const;
  /// Of a site of servers, in their order.
  [[nodiscard]] const std::vector<int>& servers_of(std::size_t site) const { return members_[site - clients_]; }
  /// The server's place in its site.
  [[nodiscard]] int place_of(int server) const { return place_of_[static_cast<std::size_t>(server)]; }

 private:
  std::size_t clients_;
  std::vector<std::size_t> site_of_;
  std::vector<int> place_of_;
  std::vector<std::vector<int>> members_;
};

}  // namespace lockproof::sim
