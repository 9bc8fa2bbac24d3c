// SPDX-License-Identifier: Apache-2.0
// Kept inputs: what a command reads stays as it is, whatever it is told to write.
#pragma once

#include "cli/options/arguments.hpp"

namespace lockproof::cli {

/// Throws InputError where an output is named that is an input of the command, or a file that lockproof did not write.
/// From here on no OutputFile replaces an input either.
void keep_inputs(const Arguments& arguments);

}  // namespace lockproof::cli
