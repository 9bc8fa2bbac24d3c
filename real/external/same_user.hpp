// SPDX-License-Identifier: Apache-2.0
// Who is at the other end of a connection on this machine.
#pragma once

namespace lockproof::real {

/// Whether a process of this user made this TCP connection over 127.0.0.1. A proxy to a server that is not ours must
/// not open it to everybody on this machine: a Unix socket has permissions, and a port of a proxy has none.
[[nodiscard]] bool is_of_this_user(int socket);

}  // namespace lockproof::real
