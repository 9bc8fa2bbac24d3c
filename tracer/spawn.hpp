// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>

#include "tracer/thread.hpp"
#include "tracer/world_spec.hpp"

namespace lockproof::tracer {

/// Where a host's program starts, in the private world.
[[nodiscard]] std::string folder_of(const HostSpec& host);
/// A folder of the host's own.
[[nodiscard]] std::string home_of(const HostSpec& host);

/// Starts the host's program, which stands still before its first instruction of its own. Its standard descriptors
/// are in `host`. Its environment is this, and nothing of ours: PATH, HOME, LANG, and what the spec says.
[[nodiscard]] pid_t spawn(const HostSpec& spec, Host& host);

}  // namespace lockproof::tracer
