// SPDX-License-Identifier: Apache-2.0
#include "real/run.hpp"

#include "real/faults.hpp"
#include "real/sigpipe.hpp"
#include "real/supervisor.hpp"

namespace lockproof::real {

harness::History run(const harness::Scenario& scenario, const Options& options) {
  require_supported(scenario);
  const SigpipeIgnored guard;
  return Supervisor(scenario, options).run();
}

}  // namespace lockproof::real
