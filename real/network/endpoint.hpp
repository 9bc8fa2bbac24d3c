// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace lockproof::real {

/// The address of a server.
struct Endpoint {
  std::string address;  // a numeric address such as 127.0.0.1 or ::1, or a path
  int port = 0;         // 0: a Unix socket
};

}  // namespace lockproof::real
