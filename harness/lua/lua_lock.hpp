// SPDX-License-Identifier: Apache-2.0
// A lock that is a file in Lua: acquire, renew, release and wait are coroutines, suspended at each command. It sees the
// same ports as a lock in C++, and all that it remembers is part of a state. docs/reference/lua.md describes the file.
#pragma once

#include <memory>
#include <string_view>

#include "algorithms/catalogue.hpp"
#include "harness/lua/runtime.hpp"

namespace lockproof::lua {

/// What a file reads of the client that uses its lock: then it is part of a state of a search.
struct ClientUse {
  bool name = false, round = false, attempt = false;
};
[[nodiscard]] ClientUse client_use(std::string_view text);

/// `runtimes` and `algorithm` must outlive the lock. Throws InputError, as each of its steps does if the file is wrong.
[[nodiscard]] std::unique_ptr<Lock> make_lock(Runtimes& runtimes, const Algorithm& algorithm, ClientUse use,
                                              Ports ports, const Parameters& parameters);

}  // namespace lockproof::lua
