// SPDX-License-Identifier: Apache-2.0
// A traced run: whole programs and their servers in one virtual time, in a private world that ends with the run.
#pragma once

#include "tracer/world_report.hpp"
#include "tracer/world_spec.hpp"

namespace lockproof::tracer {

/// A function of its spec, and of the files of the programs: the same again has the same digest, unless it was cut.
/// No process of it is alive when this returns, nor when this process is killed meanwhile.
[[nodiscard]] WorldReport run_world(const WorldSpec& spec);

}  // namespace lockproof::tracer
