// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace lockproof::real {

/// Where a server is to be reached.
struct Endpoint {
  std::string address;  // a number, as 127.0.0.1 or ::1, or a path
  int port = 0;         // 0: a Unix socket
};

}  // namespace lockproof::real
