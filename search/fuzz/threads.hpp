// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/scenario/scenario.hpp"

namespace lockproof::sim {

/// The thread of an event: the client, for its messages, their answers and its timers; else the host itself.
class Threads {
 public:
  explicit Threads(const harness::Scenario& scenario) : clients_(scenario.host_names(true, false)) {}
  [[nodiscard]] std::string of(const harness::EventName& event) const;

 private:
  std::vector<std::string> clients_;
};

}  // namespace lockproof::sim
