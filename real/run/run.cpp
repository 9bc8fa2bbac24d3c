// SPDX-License-Identifier: Apache-2.0
#include "real/run/run.hpp"

#include "real/client/faults.hpp"
#include "real/os/sigpipe.hpp"
#include "real/run/program_run.hpp"
#include "real/run/supervisor.hpp"

namespace lockproof::real {

harness::History run(const harness::Scenario& scenario, const Options& options) {
  require_supported(scenario);
  const SigpipeIgnored guard;
  if (scenario.program) return ProgramRun(scenario, options).run();
  return Supervisor(scenario, options).run();
}

}  // namespace lockproof::real
