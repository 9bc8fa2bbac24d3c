// SPDX-License-Identifier: Apache-2.0
#include "real/run/run.hpp"

#include "real/client/faults.hpp"
#include "real/os/last_end.hpp"
#include "real/os/sigpipe.hpp"
#include "real/run/program_run.hpp"
#include "real/run/supervisor.hpp"

namespace lockproof::real {
namespace {

constexpr std::int64_t grace_ns = 10'000'000'000;  // to end by itself

}  // namespace

harness::History run(const harness::Scenario& scenario, const Options& options) {
  require_supported(scenario);
  const SigpipeGuard guard;
  const LastEnd last(machine_ns_most(scenario) + grace_ns);
  if (scenario.program) return ProgramRun(scenario, options).run();
  return Supervisor(scenario, options).run();
}

}  // namespace lockproof::real
