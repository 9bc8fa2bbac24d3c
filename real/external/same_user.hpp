// SPDX-License-Identifier: Apache-2.0
// The user at the other end of a connection on this machine.
#pragma once

namespace lockproof::real {

/// Whether a process of this user made this TCP connection over 127.0.0.1. A proxy to an external server must not open
/// it to other users of this machine: a Unix socket has permissions, and a port of a proxy has none.
[[nodiscard]] bool is_of_this_user(int socket);

}  // namespace lockproof::real
