// SPDX-License-Identifier: Apache-2.0
#include "real/run.hpp"

#include <signal.h>

#include "real/faults.hpp"
#include "real/supervisor.hpp"

namespace lockproof::real {
namespace {

/// Writing to a process that has died is an error to us, no reason to die ourselves.
class SigpipeIgnored : public Pinned {
 public:
  SigpipeIgnored() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &ignore, &before_);
  }
  ~SigpipeIgnored() { ::sigaction(SIGPIPE, &before_, nullptr); }

 private:
  struct sigaction before_ {};
};

}  // namespace

harness::History run(const harness::Scenario& scenario, const Options& options) {
  require_supported(scenario);
  const SigpipeIgnored guard;
  return Supervisor(scenario, options).run();
}

}  // namespace lockproof::real
