// SPDX-License-Identifier: Apache-2.0
// The names of what a sandbox offers: a state must name what a lock keeps of it, and an address is no name.
#pragma once

#include <string>

struct lua_State;

namespace lockproof::lua {

/// The name of the function of C or sealed object on top of the stack, as a file writes it: "string.rep", "clock".
/// Empty: it is none that was offered.
[[nodiscard]] std::string name_of_offered(lua_State* lua);

/// Which of the functions that make iterators made the function of C on top of the stack: "pairs", "ipairs",
/// "string.gmatch". All that such a function remembers is in its upvalues. Empty: none of them did.
[[nodiscard]] std::string maker_of_iterator(lua_State* lua);

}  // namespace lockproof::lua
