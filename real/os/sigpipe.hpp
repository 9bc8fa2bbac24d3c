// SPDX-License-Identifier: Apache-2.0
// SigpipeGuard: writing to a process or a connection that has ended is an error and does not end this process.
#pragma once

#include <signal.h>

#include "algorithms/port/pinned_object.hpp"

namespace lockproof::real {

class SigpipeGuard : public PinnedObject {
 public:
  SigpipeGuard() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &ignore, &before_);
  }
  ~SigpipeGuard() { ::sigaction(SIGPIPE, &before_, nullptr); }

 private:
  struct sigaction before_ {};
};

}  // namespace lockproof::real
