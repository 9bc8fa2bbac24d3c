// SPDX-License-Identifier: Apache-2.0
// A run as files, as report reads them, and the diagram of one that a search found.
#pragma once

#include <string>

#include "execution/execution.hpp"
#include "search/search.hpp"

namespace lockproof::cli {

/// history.jsonl, verdict.json and trace.txt, as save_file.
void save_run(const std::string& folder, const execution::Execution& run);

/// As --format mermaid prints it; `origin` is the command that finds it again.
void print_diagram(const sim::Counterexample& found, const std::string& origin);

}  // namespace lockproof::cli
