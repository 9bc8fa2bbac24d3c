// SPDX-License-Identifier: Apache-2.0
// What a lock in Lua computes with: strings and numbers are Lua's own; a duration is a number of milliseconds. A token,
// a written instant and an instant of a clock are opaque, so that no lock can make anything of them but what a lock in
// C++ can: compare, store, send, shift.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "algorithms/port/command.hpp"
#include "algorithms/port/instant.hpp"
#include "algorithms/port/value.hpp"

struct lua_State;

namespace lockproof::lua {

using AnyInstant = std::variant<Wall, Mono, Boot>;

/// Once for each state, before anything below. Puts script(name, text) into the table on top of the stack.
void offer_values(lua_State* lua);

/// No value is known any more, and no text was answered: texts are texts again.
void forget_values(lua_State* lua);
/// If a token or a written instant is on top of the stack, text with its bytes is that object from now on.
void know(lua_State* lua);

[[nodiscard]] std::string bytes_at(lua_State* lua, int index);
/// For messages: "a token", "a table", …
[[nodiscard]] std::string what_is(lua_State* lua, int index);

/// Text is a string; a token or a written instant is opaque, and the same one is the same object, so that == and use as
/// a key of a table are by content. Text that is a token of this lock is that token.
void push(lua_State* lua, const Value& value);
/// Nil is nil, an integer a number, an array a list in which nil is false. Requires that it is no error.
void push(lua_State* lua, const Reply& reply);
/// Whether the text there was in a reply that was pushed.
[[nodiscard]] bool is_answered(lua_State* lua, int index);
void push(lua_State* lua, AnyInstant instant);
void push(lua_State* lua, Duration duration);

/// Pushes what tostring makes of the value at this index. False: it has no text but its address, and nothing is pushed.
[[nodiscard]] bool push_text(lua_State* lua, int index);

/// A string, an opaque value, or a whole number. Nothing: something else is there.
[[nodiscard]] std::optional<Value> value_at(lua_State* lua, int index);
/// Nothing: no instant.
[[nodiscard]] std::optional<AnyInstant> instant_at(lua_State* lua, int index);
/// Milliseconds, rounded to whole microseconds. Nothing: no number, or one that is no duration.
[[nodiscard]] std::optional<Duration> duration_at(lua_State* lua, int index);

/// script(name, text): a script for EVAL, which may stand in the place of a command's first word.
struct ScriptText {
  std::string name, text;
};
[[nodiscard]] const ScriptText* script_at(lua_State* lua, int index);

}  // namespace lockproof::lua
