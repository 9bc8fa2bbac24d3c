// SPDX-License-Identifier: Apache-2.0
// LearnedRun: a run of a program on real servers without any fault, from which the key of its lock is learned.
#pragma once

#include <cstdint>

#include "harness/history/history.hpp"
#include "harness/program/program_key.hpp"
#include "harness/scenario/scenario.hpp"
#include "real/options.hpp"

namespace lockproof::real {

struct LearnedRun {
  harness::ProgramKey key;
  harness::History history;
};
/// By the rule of virtual time (harness/program/learned_key.hpp). It is made again, with a lock that is held longer, if
/// the first run does not tell. REQUIRES: the scenario has a program.
[[nodiscard]] LearnedRun learn_key(const harness::Scenario& scenario, const Options& options);

/// How much of the machine's time that takes at most.
[[nodiscard]] std::int64_t learning_ns_most(const harness::Scenario& scenario);

}  // namespace lockproof::real
