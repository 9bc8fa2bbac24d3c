// SPDX-License-Identifier: Apache-2.0
// The program's verbs. Each answers the exit code.
#pragma once

#include "cli/options/arguments.hpp"
#include "harness/report/verdicts.hpp"

namespace lockproof::cli {

int run_command(const Arguments& arguments);     // run and real
int traced_command(const Arguments& arguments);  // real --server traced
int search_command(const Arguments& arguments);  // run --runs N
int demo_command(const Arguments& arguments);
int explore_command(const Arguments& arguments);
/// One search, as it stands among the runs of `check`.
[[nodiscard]] harness::RunReport explored(const Arguments& arguments);
int not_in_command(const Arguments& arguments);    // explore --not-in
int liveness_command(const Arguments& arguments);  // explore --liveness
int manual_command(const Arguments& arguments);
int plan_command(const Arguments& arguments);
int work_command(const Arguments& arguments);
int join_command(const Arguments& arguments);
int explain_command(const Arguments& arguments);
int judge_command(const Arguments& arguments);
int review_command(const Arguments& arguments);
int compare_command(const Arguments& arguments);
int minimize_command(const Arguments& arguments);
int frontier_command(const Arguments& arguments);
int check_command(const Arguments& arguments);
int replay_command(const Arguments& arguments);
int soak_command(const Arguments& arguments);
int sweep_command(const Arguments& arguments);
int list_command(const Arguments& arguments);
int report_command(const Arguments& arguments);
int bench_command(const Arguments& arguments);
int new_command(const Arguments& arguments);

}  // namespace lockproof::cli
