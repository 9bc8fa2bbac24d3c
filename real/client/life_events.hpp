// SPDX-License-Identifier: Apache-2.0
// LifeEvents: the events of a client's life by which faults are placed, for what drives the client.
#pragma once

#include <string_view>

#include "harness/scenario/fault.hpp"

namespace lockproof::real {

class LifeEvents {
 public:
  virtual ~LifeEvents() = default;
  /// The client's current round.
  virtual void round(int number) = 0;
  /// Whether a fault is placed before what the client is about to do.
  [[nodiscard]] virtual bool awaits(harness::EventPlace::Moment moment, std::string_view act) const = 0;
  /// An event: faults strike in here, and may stop or end the client.
  virtual void happens(harness::EventPlace::Moment moment, std::string_view act) = 0;
  /// Whether the client is stopped from outside: then nothing of it goes on.
  [[nodiscard]] virtual bool stands_still() const { return false; }
};

}  // namespace lockproof::real
