// SPDX-License-Identifier: Apache-2.0
// StoreArm: one world's servers, for the suite of store behaviour that both worlds must pass from one source.
#pragma once

#include <cstddef>
#include <memory>

#include "algorithms/port/lock.hpp"

namespace lockproof::tests {

class StoreArm {
 public:
  virtual ~StoreArm() = default;
  /// Two empty Redis servers.
  virtual Stores& stores() = 0;
  virtual Clock& clock() = 0;
  /// Drives the world until the task is done; fails the test after some time.
  virtual void complete(Task<void>& task) = 0;
  /// Moves the wall clocks of all servers forward.
  virtual void advance(milliseconds by) = 0;
  /// A frozen server answers nothing until it is thawed; commands sent meanwhile run then.
  virtual void freeze(std::size_t server) = 0;
  virtual void thaw(std::size_t server) = 0;
};

/// Each world's arm defines one of these; a time-out of 200 ms a call, the connection kept after it
/// (OnTimeout::discard).
std::unique_ptr<StoreArm> make_simulated_arm();
std::unique_ptr<StoreArm> make_real_arm();

}  // namespace lockproof::tests
