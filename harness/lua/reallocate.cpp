// SPDX-License-Identifier: Apache-2.0
#include "harness/lua/reallocate.hpp"

#include <cstdlib>
#include <new>

namespace lockproof::lua {

void* reallocate(void* old, std::size_t size) {
  for (;;) {
    if (void* const made = std::realloc(old, size)) return made;
    const std::new_handler handler = std::get_new_handler();
    if (!handler) return nullptr;
    try {
      handler();
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }
}

}  // namespace lockproof::lua
