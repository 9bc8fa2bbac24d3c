// SPDX-License-Identifier: Apache-2.0
// `lockproof list cases`, `claims` and `scenarios`: the catalogue of documented failures, counted from the scenarios.
#pragma once

#include "cli/options/arguments.hpp"

namespace lockproof::cli {

/// The exit code: `failed` where something is neither shown nor said to be missing.
[[nodiscard]] int list_cases(const Arguments& arguments);

}  // namespace lockproof::cli
