// SPDX-License-Identifier: Apache-2.0
// LockMemory: all that a lock in Lua keeps between two calls, whatever form it has: globals, the locals of its file
// that its functions use, tables in tables, and which of these are the same object. So nothing that a lock remembers
// can be missing from a state of a search. What Lua does not show, the layout of a table, is a function of the rest.
#pragma once

#include <cstdint>
#include <map>

#include "algorithms/port/lock.hpp"

struct lua_State;

namespace lockproof::lua {

class LockMemory {
 public:
  /// What the lock begins with: call it once its file has run. Functions that are there by then are known ever after by
  /// their number, others by what they do.
  explicit LockMemory(lua_State* lua);

  /// Call one before a function of the file is called, the other when it has ended. Steps may overlap. What is
  /// remembered is settled before the first of them. Raises a Lua error as settle.
  void begin_step();
  void end_step() { --steps_; }

  /// Everything that can be reached from the globals, in an order that depends on names alone; nothing, as long as that
  /// is what it began with. Two locks with equal states do the same from now on. Raises a Lua error where something is
  /// kept that has no order: a key that is no text and no number.
  [[nodiscard]] State now() const;

 private:
  class Walk;
  lua_State* lua_;
  std::map<const void*, std::int64_t> functions_;  // kept alive by Lua, so that their addresses are theirs
  State begins_with_;
  int steps_ = 0;  // that have begun and not ended
};

}  // namespace lockproof::lua
