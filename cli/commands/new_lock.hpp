// SPDX-License-Identifier: Apache-2.0
// A lock in Lua to begin with.
#pragma once

#include <string_view>

namespace lockproof::cli {

/// What `lockproof new NAME.lua` writes: a lock that is right, and says in its comments what can be changed.
[[nodiscard]] std::string_view new_lock();

}  // namespace lockproof::cli
