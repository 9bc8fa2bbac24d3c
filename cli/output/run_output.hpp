// SPDX-License-Identifier: Apache-2.0
// A run as files, as report reads them.
#pragma once

#include <string>

#include "execution/execution.hpp"

namespace lockproof::cli {

/// history.jsonl, verdict.json and trace.txt.
void write_run(const std::string& folder, const execution::Execution& run);

}  // namespace lockproof::cli
