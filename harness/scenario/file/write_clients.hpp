// SPDX-License-Identifier: Apache-2.0
// [workload] and the [[client]]s of a scenario, as TOML.
#pragma once

#include <map>
#include <string>

#include "harness/scenario/file/writer.hpp"
#include "harness/scenario/scenario.hpp"

namespace lockproof::harness {

void write_clients(Writer& out, const Scenario& s);
void write_environment(Writer& out, const std::map<std::string, std::string>& environment);

}  // namespace lockproof::harness
