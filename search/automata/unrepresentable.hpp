// SPDX-License-Identifier: Apache-2.0
// UnrepresentableState: what the stateful engine throws at a state for which its numbers are too narrow. The search
// ends there and is unknown; the re-execution engine knows no such limit.
#pragma once

#include <stdexcept>
#include <string>

namespace lockproof::sim {

class UnrepresentableState : public std::runtime_error {
 public:
  /// `what`: there is more of it than the engine has numbers for.
  explicit UnrepresentableState(const std::string& what)
      : std::runtime_error(what + " than the stateful engine can tell apart") {}
};

}  // namespace lockproof::sim
