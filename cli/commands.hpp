// SPDX-License-Identifier: Apache-2.0
// The program's verbs. Each answers the exit code.
#pragma once

#include "cli/options/arguments.hpp"

namespace lockproof::cli {

int run_command(const Arguments& arguments);     // run and real
int search_command(const Arguments& arguments);  // run --runs N
int explore_command(const Arguments& arguments);
int progress_command(const Arguments& arguments);  // explore --progress
int manual_command(const Arguments& arguments);
int merge_command(const Arguments& arguments);
int minimize_command(const Arguments& arguments);
int frontier_command(const Arguments& arguments);
int check_command(const Arguments& arguments);
int replay_command(const Arguments& arguments);        // real --replay
int soak_command(const Arguments& arguments);          // real --soak
int check_replay_command(const Arguments& arguments);  // check --replay
int list_command(const Arguments& arguments);
int report_command(const Arguments& arguments);
int bench_command(const Arguments& arguments);
int certify_command(const Arguments& arguments);
int certify_memcached_command(const Arguments& arguments);
int new_command(const Arguments& arguments);

}  // namespace lockproof::cli
