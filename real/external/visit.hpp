// SPDX-License-Identifier: Apache-2.0
// Visiting servers that lockproof did not start, before anything else is done with them: whether they are there, are
// Redis, let us in, can be written to, and are not one and the same.
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
  std::vector<std::string> described;  // each of them, for people
  std::vector<std::string> warnings;   // what can make a run there come out otherwise
  std::vector<Condition> conditions;
};

/// `scenario`: under its prefix, and harmless. `announce` is called when all servers have been looked at and nothing
/// has been written. Throws harness::InputError if these are not as many as it needs, BadEnvironment, with a line for
/// each, if something is wrong with servers.
[[nodiscard]] Visit visit(const harness::Scenario& scenario, const std::string& prefix,
                          const std::vector<ExternalAddress>& addresses, const Credentials& credentials,
                          const std::function<void(const Visit&)>& announce);

}  // namespace lockproof::real
