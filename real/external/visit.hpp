// SPDX-License-Identifier: Apache-2.0
// Checks external servers before anything else is done with them: whether they answer, are Redis, accept our
// credentials, can be written to, and are different servers.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "real/external/address.hpp"
#include "real/external/condition.hpp"
#include "real/external/external_servers.hpp"

namespace lockproof::real {

struct Visit {
  ExternalServers servers;
  std::vector<std::string> described;  // each server, as readable text
  std::vector<std::string> warnings;   // what can change the result of a run there
  std::vector<Condition> conditions;
};

/// `scenario`: under its prefix, and harmless. `announce` is called when all servers have been checked and nothing has
/// been written. Throws harness::InputError if the number of servers is not what the scenario needs, BadEnvironment,
/// with a line for each, if something is wrong with servers.
[[nodiscard]] Visit visit(const harness::Scenario& scenario, const std::string& prefix,
                          const std::vector<ExternalAddress>& addresses, const Credentials& credentials,
                          const std::function<void(const Visit&)>& announce);

}  // namespace lockproof::real
