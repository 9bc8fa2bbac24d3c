// SPDX-License-Identifier: Apache-2.0
// Layout: what a table of Lua has beside its keys and values. How much of it is an array follows from the order in
// which it was filled, and # of a table with a hole follows from that, now or after a later change. No function of Lua
// can read it, so it cannot be part of a state; instead it is made a function of the keys.
#pragma once

#include <string>
#include <vector>

struct lua_State;

namespace lockproof::lua {

struct TableKey {
  bool is_text;
  double number;  // 0 if it is text
  std::string text;
  auto operator<=>(const TableKey&) const = default;
};

/// The keys of the table on top of the stack: numbers, then texts, each from small to large. Raises a Lua error if one
/// is neither.
[[nodiscard]] std::vector<TableKey> keys_in_order(lua_State* lua);
void push(lua_State* lua, const TableKey& key);

/// Replaces each table that can be reached from the globals by one with the same contents, filled in the order of its
/// keys. Of tokens and written instants, those that can be reached stay known. Requires that no function of the file is
/// running: it may have tables of its own. Raises a Lua error as keys_in_order.
void settle(lua_State* lua);

}  // namespace lockproof::lua
