// SPDX-License-Identifier: Apache-2.0
// [algorithm]: the lock of a scenario, by its name in the catalogue, as a file in Lua or as a program of its own, and
// its parameters.
#pragma once

#include <string>

#include "harness/scenario/file/fields.hpp"
#include "harness/scenario/scenario.hpp"

namespace lockproof::harness {

/// What a [[client]] says of the lock's parameters, if it differs from [algorithm]. `instead`: the lock is another one
/// than is written there, and what that does not have is left out.
[[nodiscard]] Parameters read_own_parameters(const std::string& file, Fields& client, const Scenario& s, bool instead);

/// Reads the lock and its parameters into `s`. `file`: the scenario's, in whose folder a lock's file is looked for.
/// `top`: all of the scenario. `instead`: as in parse_scenario. Throws InputError.
void read_algorithm(const std::string& file, Fields& top, const AlgorithmRef& instead, Scenario& s);
/// Whether this is meant as a lock's file, and not as a name of the catalogue.
[[nodiscard]] bool is_lock_file(std::string_view word);
/// A lock in Lua. Throws InputError if the file cannot be read, or is wrong.
[[nodiscard]] AlgorithmRef load_lock(const std::string& file);
/// A word of the command line: a lock of the catalogue, or a file; nothing if the word is empty or names none.
[[nodiscard]] AlgorithmRef algorithm_from(const std::string& word);

}  // namespace lockproof::harness
