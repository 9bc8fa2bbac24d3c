// SPDX-License-Identifier: Apache-2.0
// What a real run is asked for besides its scenario.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "algorithms/port/service.hpp"

namespace lockproof::real {

struct ExternalServers;

/// Other builds of servers' programs: paths. Services that are not here: the program in PATH.
using Programs = std::map<Service, std::string>;

struct Options {
  std::uint64_t seed = 1;     // of tokens and jitter; the machine's scheduling is not under it
  bool record_inputs = true;  // write what crosses the ports as well (read, draw, call, answer, step)
  std::shared_ptr<const ExternalServers> external{};  // to use these and start none; null: start all that is needed
  Programs programs{};
};

}  // namespace lockproof::real
