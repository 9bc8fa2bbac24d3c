// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace lockproof::tracer {

/// From now on this process, and whatever it starts, stops at each call that the table does not pass. Calls of another
/// architecture end it. False: the kernel does not allow that. Async-signal-safe, once prepare_filter was called.
bool install_filter();
void prepare_filter();

}  // namespace lockproof::tracer
