// SPDX-License-Identifier: Apache-2.0
#include "harness/lua/budget.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <lua.hpp>

#include "harness/lua/reallocate.hpp"
#include "harness/stop.hpp"

namespace lockproof::lua {
namespace {

constexpr int between_looks = 1'000;  // instructions

}  // namespace

Budget& Budget::of(lua_State* lua) {
  void* budget = nullptr;
  (void)lua_getallocf(lua, &budget);
  return *static_cast<Budget*>(budget);
}

void* Budget::allocate(void* budget, void* old, std::size_t old_size, std::size_t size) {
  auto& counted = *static_cast<Budget*>(budget);
  if (size == 0) {
    std::free(old);
    counted.memory_ -= old_size;
    return nullptr;
  }
  if (size > old_size && (size > block_most || counted.memory_ - old_size + size > memory_most)) {
    counted.end_ = End::memory;
    return nullptr;
  }
  void* const made = reallocate(old, size);
  if (made) counted.memory_ = counted.memory_ - old_size + size;
  return made;
}

void Budget::begin(lua_State* thread) {
  used_ = 0;
  end_ = End::none;
  lua_sethook(thread, look, LUA_MASKCOUNT, between_looks);
}

std::string Budget::text_of(End why) {
  switch (why) {
    case End::none: break;
    case End::steps: return fmt::format("this runs on without end: {} steps", steps_most);
    case End::memory:
      return fmt::format("this takes more than {} MB of memory, or {} MB for one value", memory_most >> 20,
                         block_most >> 20);
    case End::pattern: return fmt::format("a pattern has more than {} characters", pattern_most);
    case End::stopped: return "the run is stopped";
  }
  return "";
}

void Budget::charge(lua_State* lua, std::uint64_t steps, int level) {
  if (steps > left()) end(lua, End::steps, level);
  used_ += steps;
}

/// Code that catches the error is ended at its next instructions, too.
void Budget::end(lua_State* lua, End why, int level) {
  end_ = why;
  used_ = steps_most;
  lua_sethook(lua, look, LUA_MASKCOUNT, 1);
  luaL_where(lua, level);
  lua_pushstring(lua, text_of(why).c_str());
  lua_concat(lua, 2);
  lua_error(lua);
}

void Budget::look(lua_State* lua, lua_Debug* /*at*/) {
  Budget& budget = of(lua);
  if (budget.end_ != End::none && budget.end_ != End::memory) return budget.end(lua, budget.end_, 0);
  if (harness::long_operation_must_end()) return budget.end(lua, End::stopped, 0);
  budget.charge(lua, between_looks, 0);
}

}  // namespace lockproof::lua
