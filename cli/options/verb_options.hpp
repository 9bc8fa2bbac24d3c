// SPDX-License-Identifier: Apache-2.0
// The options of each command, a function each.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/options/arguments.hpp"

namespace lockproof::cli {

// Commands that run scenarios, simulated or on servers.
void add_run(CLI::App& sub, Arguments& arguments);
void add_real(CLI::App& sub, Arguments& arguments);
void add_replay(CLI::App& sub, Arguments& arguments);
void add_sweep(CLI::App& sub, Arguments& arguments);
void add_soak(CLI::App& sub, Arguments& arguments);
void add_check(CLI::App& sub, Arguments& arguments);

// Commands that search.
void add_explore(CLI::App& sub, Arguments& arguments);
void add_minimize(CLI::App& sub, Arguments& arguments);
void add_frontier(CLI::App& sub, Arguments& arguments);
void add_explain(CLI::App& sub, Arguments& arguments);
void add_judge(CLI::App& sub, Arguments& arguments);
void add_review(CLI::App& sub, Arguments& arguments);
void add_compare(CLI::App& sub, Arguments& arguments);

// Commands for many machines.
void add_plan(CLI::App& sub, Arguments& arguments);
void add_work(CLI::App& sub, Arguments& arguments);
void add_join(CLI::App& sub, Arguments& arguments);

void add_new(CLI::App& sub, Arguments& arguments);
void add_report(CLI::App& sub, Arguments& arguments);
void add_list(CLI::App& sub, Arguments& arguments);
/// Why there is no such list; empty: there is.
[[nodiscard]] std::string not_listed(const Arguments& arguments);

// Commands for those who develop lockproof, which the help does not list.
void add_bench(CLI::App& sub, Arguments& arguments);
void add_manual(CLI::App& sub, Arguments& arguments);

}  // namespace lockproof::cli
