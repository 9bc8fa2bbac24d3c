// SPDX-License-Identifier: Apache-2.0
// The links of replicas to their masters, and to every server that may become their master: each a port, through the
// proxy where there is one.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/scenario/scenario.hpp"
#include "real/network/proxy.hpp"
#include "real/services/server_host.hpp"

namespace lockproof::real {

/// The port at which a replica finds a master: by replica and master.
using MasterPorts = std::map<std::pair<harness::HostIndex, harness::HostIndex>, int>;

/// `port_of`: at which this server's replica reaches it; called once for each link that the run may need.
[[nodiscard]] MasterPorts master_ports(
    const harness::Scenario& scenario,
    const std::function<int(std::size_t server, harness::HostIndex replica)>& port_of);

/// Each replica follows its master, and has its copy. `await` returns when the condition holds, or throws.
void link_replicas(const harness::Scenario& scenario, const std::vector<std::unique_ptr<ServerHost>>& servers,
                   const MasterPorts& ports,
                   const std::function<void(const std::function<bool()>& done, const std::string& otherwise)>& await);

/// What a master sends takes as long to its replicas as the scenario says at most.
void let_replicas_lag(const harness::Scenario& scenario, Proxy& proxy);

}  // namespace lockproof::real
