// SPDX-License-Identifier: Apache-2.0
// The questions that a command line asks of two locks.
#pragma once

#include <string>
#include <vector>

#include "cli/commands/explore_watch.hpp"
#include "cli/options/arguments.hpp"
#include "execution/compare/question_pair.hpp"

namespace lockproof::cli {

/// Each word is a scenario, or a lock of the catalogue or of a file; as the second one, `best` is the lock that a
/// review ranks first. Throws harness::InputError.
[[nodiscard]] std::vector<execution::QuestionPair> question_pairs_of(const Arguments& arguments, const std::string& a,
                                                                     const std::string& b, ExploreWatch& watch);

}  // namespace lockproof::cli
