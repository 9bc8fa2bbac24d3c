// SPDX-License-Identifier: Apache-2.0
// replay of several scenarios, or of folders: a line for each.
#pragma once

#include "cli/options/arguments.hpp"

namespace lockproof::cli {

/// The exit code, the worst of all.
[[nodiscard]] int replay_many(const Arguments& arguments);

}  // namespace lockproof::cli
