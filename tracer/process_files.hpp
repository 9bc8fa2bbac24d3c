// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tracer/machine/private_world.hpp"
#include "tracer/traced_world.hpp"

namespace lockproof::tracer {

/// The path of a new file, which has what a program reads of a process in place of the kernel's file: its state, its
/// threads and its memory map, and no figure that differs from run to run. Empty: there is no such process.
[[nodiscard]] std::string make_process_file(TracedWorld& world, const MadeFile& file);

}  // namespace lockproof::tracer
