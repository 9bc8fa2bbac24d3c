// SPDX-License-Identifier: Apache-2.0
// reallocate: realloc that follows the rule of new, for states of Lua: the new-handler may free memory, and then there
// is enough. So a search that comes to its limit of memory in a script ends as it does elsewhere.
#pragma once

#include <cstddef>

namespace lockproof::lua {

/// Room for so many bytes, with what was in the old one; null if the machine gives none. `size` is more than 0.
[[nodiscard]] void* reallocate(void* old, std::size_t size);

}  // namespace lockproof::lua
