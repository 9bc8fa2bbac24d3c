// SPDX-License-Identifier: Apache-2.0
// The shims that lockproof preloads: see clock_shim.c and wait_shim.c.
#pragma once

#include "real/os/descriptor.hpp"

namespace lockproof::real {

/// For servers: it shows clocks. Throws BadEnvironment.
[[nodiscard]] Descriptor open_server_shim();
/// For programs under test: it shows clocks, and what waits goes by them. Throws BadEnvironment.
[[nodiscard]] Descriptor open_program_shim();

}  // namespace lockproof::real
