// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/options/arguments.hpp"

namespace lockproof::cli {

/// Options of `report`.
void add_report(CLI::App& sub, Arguments& arguments);

}  // namespace lockproof::cli
