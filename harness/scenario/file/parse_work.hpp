// SPDX-License-Identifier: Apache-2.0
// What a client takes its locks for, and what it does with them: keys of [workload] and of a [[client]].
#pragma once

#include <string>

#include "harness/scenario/file/fields.hpp"
#include "harness/scenario/scenario.hpp"

namespace lockproof::harness {

/// `lock`, `mode` and `lock_object`. `scenario_lock`: the name that stands for no name of its own.
void read_locks(Fields& fields, bool of_program, const std::string& scenario_lock, Plan& plan);

/// `before` and `work`. Requires that read_locks has been called.
void read_work(Fields& fields, bool of_program, const std::string& scenario_lock, Plan& plan);

/// Throws InputError for what is not followed beside several locks.
void check_locks(const std::string& file, const Scenario& s);

}  // namespace lockproof::harness
