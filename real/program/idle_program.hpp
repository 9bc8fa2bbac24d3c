// SPDX-License-Identifier: Apache-2.0
// Whether a program can do anything before it is told something, as its kernel shows it.
#pragma once

#include <sys/types.h>

namespace lockproof::real {

/// Its only thread waits in a read of its standard input, it has no children, its keeper has no others, and it waits
/// for no signal of a timer: until a line comes, or a signal from outside, nothing comes of it. False also where the
/// kernel does not say so.
[[nodiscard]] bool is_idle_program(pid_t program, pid_t keeper);

}  // namespace lockproof::real
