// SPDX-License-Identifier: Apache-2.0
// Which scenarios may be run on servers that lockproof did not start.
#include <fmt/format.h>

#include <algorithm>

#include "harness/input_error.hpp"
#include "harness/scenario/fault_table.hpp"
#include "harness/scenario/names.hpp"
#include "harness/scenario/services.hpp"
#include "real/external/external_servers.hpp"

namespace lockproof::real {
namespace {

using harness::Fault;
using harness::Scenario;

constexpr const char* instead = "; leave out --redis, and lockproof starts servers of its own for it";

[[noreturn]] void refuse(const Scenario& scenario, int line, const std::string& what) {
  throw harness::InputError(scenario.file, line, what + instead);
}

void require_harmless(const Scenario& scenario, const Fault& fault, std::size_t number) {
  const bool of_server =
      std::ranges::find(scenario.servers, fault.target, &harness::ServerSpec::name) != scenario.servers.end();
  const std::string_view harm = of_server ? harness::row_of(fault.kind).harm : std::string_view{};
  if (harm.empty()) return;
  refuse(scenario, fault.line,
         fmt::format("fault {}, {} of {}, {}, and with --redis that is not lockproof's", number,
                     harness::name(fault.kind), fault.target, harm));
}

void require_harmless(const Scenario& scenario, const harness::ServerSpec& server) {
  if (!server.replica_of.empty()) {
    refuse(scenario, 0,
           fmt::format("{} is a replica of {}, and with --redis lockproof links no servers", server.name,
                       server.replica_of));
  }
  if (server.clock != harness::ClockSpec{}) {
    refuse(scenario, 0, fmt::format("{} has a clock of its own, and with --redis no clock is set", server.name));
  }
  if (server.min_replicas_to_write > 0) {
    refuse(
        scenario, 0,
        fmt::format("{} counts its replicas (min_replicas_to_write), and with --redis nothing is set up", server.name));
  }
}

}  // namespace

void require_harmless(const Scenario& scenario) {
  if (scenario.algorithm->service != Service::redis) {
    refuse(scenario, 0,
           fmt::format("{} is kept on {}, and --redis names servers of Redis", scenario.algorithm->name,
                       harness::row_of(scenario.algorithm->service).name));
  }
  for (std::size_t i = 0; i < scenario.faults.size(); ++i) require_harmless(scenario, scenario.faults[i], i + 1);
  for (const harness::ServerSpec& server : scenario.servers) require_harmless(scenario, server);
  if (!scenario.sentinels.empty()) {
    refuse(scenario, 0, "the scenario has a [[sentinel]], and with --redis no server is promoted");
  }
}

}  // namespace lockproof::real
