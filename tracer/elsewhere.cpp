// SPDX-License-Identifier: Apache-2.0
// All that there is of the tracer on another processor.
#include "real/errors.hpp"
#include "tracer/traced_command.hpp"

namespace lockproof::tracer {

WorldReport run_command(const TracedCommand&) {
  throw real::BadEnvironment(
      "no run in virtual time: a server can be traced on x86-64 only; lockproof real needs that not");
}

}  // namespace lockproof::tracer
