// SPDX-License-Identifier: Apache-2.0
// ExternalAddress: the address of a server that lockproof did not start, in the form of 127.0.0.1:6379, [::1]:6379, a
// name and a port, or the path of a Unix socket.
#pragma once

#include <string>
#include <vector>

namespace lockproof::real {

struct ExternalAddress {
  std::string text;   // as it was written
  std::string place;  // a host, or a path
  int port = 0;       // 0: a path
  bool operator==(const ExternalAddress&) const = default;
};

/// Throws harness::InputError. The message leaves out the part before an @, which may be a password.
[[nodiscard]] ExternalAddress external_address_from(const std::string& text);

}  // namespace lockproof::real
