// SPDX-License-Identifier: Apache-2.0
// [algorithm] command: a lock that is a program of its own.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/scenario/file/fields.hpp"
#include "harness/scenario/scenario.hpp"

namespace lockproof::harness {

/// Reads the program into `s`. `file`: the scenario's, in whose folder the files of the command are looked for. `top`:
/// all of the scenario, whose [servers] say on which service the program is kept. What it answers stands for the
/// program, and refuses to be made. Throws InputError.
[[nodiscard]] AlgorithmRef read_program(const std::string& file, Fields& top, Fields& fields, Scenario& s);
/// Adds the variables of an `environment`, if there is one in this table.
void read_environment(const std::string& file, Fields& fields, std::map<std::string, std::string>& into);
/// Refuses a step of the work that a program, or a lock that is none, cannot do.
void check_work(Fields& fields, const Node& item, const Work& work, bool of_program);
/// The plan of a program's client before anything of it has been read. Its work and its start are none that can be
/// written, so that what is written stays.
[[nodiscard]] Plan unsaid_plan_of_program();
/// What [workload] and [[client]] leave unsaid depends on the lease: the work, and when each client begins.
void complete_clients_of_program(Scenario& s);
/// The same for the bounds. To be called when all else has been read.
void complete_program(const std::string& file, const Node& document, Scenario& s);

/// The properties by which a program is judged that claims none in particular.
[[nodiscard]] const std::vector<std::string>& claims_of_programs();
/// Whether a word of a command is the path of a file.
[[nodiscard]] bool is_file_beside(const std::string& word);

}  // namespace lockproof::harness
