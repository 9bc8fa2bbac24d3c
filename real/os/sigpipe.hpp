// SPDX-License-Identifier: Apache-2.0
// SigpipeIgnored: writing to a process or a connection that has died is an error to us, no reason to die ourselves.
#pragma once

#include <signal.h>

#include "algorithms/port/pinned.hpp"

namespace lockproof::real {

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

}  // namespace lockproof::real
