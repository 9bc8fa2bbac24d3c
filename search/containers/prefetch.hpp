// SPDX-License-Identifier: Apache-2.0
// prefetch: asks for memory that will be read soon.
#pragma once

namespace lockproof::sim {

/// Has no effect but on time. A function that only prefetches is left out by GCC 12 as one without an effect, with all
/// calls of it; the empty statement, which is volatile, keeps it.
inline void prefetch(const void* memory) {
  __builtin_prefetch(memory);
  asm volatile("");
}

}  // namespace lockproof::sim
