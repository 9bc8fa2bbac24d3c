// SPDX-License-Identifier: Apache-2.0
#include "search/automata/sites.hpp"

namespace lockproof::sim {

Sites::Sites(const harness::Scenario& scenario) : clients_(scenario.clients.size()) {
  const auto& servers = scenario.servers;
  for (std::size_t i = 0; i <= servers.size(); ++i) {
    std::size_t site = members_.size();
    for (std::size_t j = 0; j < i && i < servers.size(); ++j) {
      if (scenario.replicate_together(servers[i].name, servers[j].name)) site = site_of_[j] - clients_;
    }
    if (site == members_.size()) members_.emplace_back();
    place_of_.push_back(static_cast<int>(members_[site].size()));
    members_[site].push_back(static_cast<int>(i));
    site_of_.push_back(clients_ + site);
  }
}

std::size_t Sites::of_host(harness::HostIndex host) const {
  const auto place = static_cast<std::size_t>(host);
  return place < clients_ ? place : site_of_[place - clients_];
}

}  // namespace lockproof::sim
