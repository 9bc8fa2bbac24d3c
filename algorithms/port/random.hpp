// SPDX-License-Identifier: Apache-2.0
// Random: the random values of an algorithm.
#pragma once

#include "algorithms/port/instant.hpp"
#include "algorithms/port/pinned_object.hpp"
#include "algorithms/port/value.hpp"

namespace lockproof {

class Random : public PinnedObject {
 public:
  virtual ~Random() = default;
  /// A token that no other client has, or will ever have.
  virtual Token token() = 0;
  /// A jitter in [least, most]. The simulator, or the real driver, sets how fine its steps are.
  virtual Duration between(Duration least, Duration most) = 0;
};

}  // namespace lockproof
