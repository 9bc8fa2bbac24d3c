// SPDX-License-Identifier: Apache-2.0
// Which key a program's lock is, from the history of a run without faults in which clients ask for the lock while
// another one is inside (harness/workload/learning_form.hpp). Both worlds make such a run, and judge it by this.
#pragma once

#include <string_view>

#include "harness/history/history.hpp"
#include "harness/program/program_key.hpp"

namespace lockproof::harness {

/// In the history keys are called what their servers call them. `lock`: the scenario's name of the lock, which a
/// program may put into the key's. `pattern`: [algorithm] key, or empty.
[[nodiscard]] ProgramKey learned_key(const History& history, std::string_view lock, std::string_view pattern);

/// Whether a run in which the lock is held longer could tell more.
[[nodiscard]] bool may_tell_more(const ProgramKey& key);

}  // namespace lockproof::harness
