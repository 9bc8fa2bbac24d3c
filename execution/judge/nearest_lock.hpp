// SPDX-License-Identifier: Apache-2.0
// NearestLock: the locks of the catalogue whose commands do to their key what a log's commands did.
#pragma once

#include <string>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "execution/judge/incident.hpp"

namespace lockproof::execution {

struct NearestLock {
  std::vector<const Algorithm*> locks;  // of equal fit, in the catalogue's order; none: no lock has anything in common
  std::size_t shared = 0, all = 0;      // sorts of commands: those of both, and those of either
  [[nodiscard]] bool is_close() const { return shared * 2 > all; }
};

[[nodiscard]] NearestLock nearest_lock(const Incident& incident);

}  // namespace lockproof::execution
