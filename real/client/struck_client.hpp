// SPDX-License-Identifier: Apache-2.0
// StruckClient: a client as faults see it, whether it is a process of ours, which strikes itself at its own events, or
// a program that is struck from outside.
#pragma once

#include <cstddef>

#include "real/client/client_link.hpp"
#include "real/os/process_control.hpp"

namespace lockproof::real {

class StruckClient {
 public:
  virtual ~StruckClient() = default;
  [[nodiscard]] virtual ProcessControl& process() = 0;
  /// Tells it something; `fault`: whatever the order needs to know.
  virtual void order(Order order, std::size_t fault) = 0;
  /// Whether it is struck from outside at all its events: then what it has sent may still lie at the proxy.
  [[nodiscard]] virtual bool is_outside() const { return false; }
};

}  // namespace lockproof::real
