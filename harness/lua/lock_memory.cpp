// SPDX-License-Identifier: Apache-2.0
#include "harness/lua/lock_memory.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <deque>
#include <lua.hpp>
#include <map>
#include <string>
#include <utility>

#include "harness/lua/layout.hpp"
#include "harness/lua/offered.hpp"
#include "harness/lua/sandbox.hpp"
#include "harness/lua/values.hpp"

namespace lockproof::lua {
namespace {

constexpr char kept_functions[] = "lockproof.functions";  // a list in the registry

/// What comes next in a state. Each value begins with a bool, or with one of these and the number of the object, so
/// that no two different things are written alike.
enum class Tag : std::int64_t { nil, number, text, value, table, end, function, local, instant, script, sealed, count };

int append(lua_State* /*lua*/, const void* part, std::size_t size, void* into) {
  static_cast<std::string*>(into)->append(static_cast<const char*>(part), size);
  return 0;
}

/// The text, in which nothing looks like a token ("c1.2"): a search renames tokens, and this is none.
Value plain(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    escaped += text[i];
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (text[i] == 'c' && (next == '_' || (next >= '0' && next <= '9'))) escaped += '_';
  }
  return Value(std::move(escaped));
}

/// Exact. The sign of a zero counts, since 1 / x shows it.
Value exact(double number) {
  constexpr double whole_most = 9007199254740992.0;
  const bool is_whole = std::floor(number) == number && std::abs(number) <= whole_most;
  if (is_whole && !(number == 0 && std::signbit(number))) return Value::number(static_cast<std::int64_t>(number));
  return Value(fmt::format("{:.17g}", number));
}

}  // namespace

class LockMemory::Walk {
 public:
  /// `known`: functions that have a number. `first`: none has yet, and those that are seen are kept.
  Walk(lua_State* lua, const std::map<const void*, std::int64_t>& known, bool first = false)
      : lua_(lua), known_(known), first_(first) {}

  State globals() {
    lua_newtable(lua_);
    locals_ = lua_gettop(lua_);
    lua_pushvalue(lua_, LUA_GLOBALSINDEX);
    add_table();
    put_back_locals();
    lua_settop(lua_, locals_ - 1);
    return std::move(state_);
  }
  /// The functions that were seen, by their addresses.
  [[nodiscard]] const std::map<const void*, std::int64_t>& functions() const { return functions_; }

 private:
  void add(Tag tag, std::int64_t object = 0) {
    state_.emplace_back(static_cast<std::int64_t>(tag) + static_cast<std::int64_t>(Tag::count) * object);
  }

  /// Adds the value on top of the stack, and leaves it there.
  void add_top() {
    luaL_checkstack(lua_, 12, "what the lock remembers is nested too deeply");
    switch (lua_type(lua_, -1)) {
      case LUA_TNIL: return add(Tag::nil);
      case LUA_TBOOLEAN: state_.emplace_back(lua_toboolean(lua_, -1) != 0); return;
      case LUA_TNUMBER:
        add(Tag::number);
        state_.emplace_back(exact(lua_tonumber(lua_, -1)));
        return;
      case LUA_TSTRING:
        add(Tag::text);
        state_.emplace_back(plain(bytes_at(lua_, -1)));
        return;
      case LUA_TTABLE:
        if (is_new(Tag::table)) add_table();
        return;
      case LUA_TFUNCTION:
        if (is_new(Tag::function)) add_function();
        return;
      case LUA_TUSERDATA: return add_object();
      default: luaL_error(lua_, "the lock remembers %s, which no state can have", what_is(lua_, -1).c_str());
    }
  }

  /// Two equal instants or scripts may be two objects, and a table that has them for keys shows it. Tokens and written
  /// instants are one object each.
  void add_object() {
    if (const auto instant = instant_at(lua_, -1)) {
      if (is_new(Tag::instant)) std::visit([this](const auto i) { state_.emplace_back(i); }, *instant);
    } else if (const ScriptText* script = script_at(lua_, -1)) {
      if (!is_new(Tag::script)) return;
      state_.emplace_back(plain(script->name));
      state_.emplace_back(plain(script->text));
    } else if (auto value = value_at(lua_, -1)) {
      add(Tag::value, value->mark() == Value::Mark::token);
      state_.emplace_back(*std::move(value));
    } else {
      add(Tag::sealed);
      state_.emplace_back(plain(name_of_offered(lua_)));
    }
  }

  /// Whether this object is seen for the first time; else its number says which one it is.
  bool is_new(Tag tag) {
    const auto [found, first] = seen_.try_emplace(lua_topointer(lua_, -1), static_cast<std::int64_t>(seen_.size()));
    add(tag, found->second);
    return first;
  }

  void add_table() {
    for (const TableKey& key : keys_in_order(lua_)) {
      add(key.is_text ? Tag::text : Tag::number);
      state_.emplace_back(key.is_text ? plain(key.text) : exact(key.number));
      push(lua_, key);
      lua_rawget(lua_, -2);
      add_top();
      lua_pop(lua_, 1);
    }
    add(Tag::end);
  }

  /// A function is what it does, and what it has of the locals around it. One that is offered is its name: what is
  /// behind it never changes.
  void add_function() {
    if (first_) keep_function();
    const bool is_of_c = lua_iscfunction(lua_, -1) != 0;
    const std::string offered = is_of_c ? name_of_offered(lua_) : "";
    const auto known = known_.find(lua_topointer(lua_, -1));
    if (known != known_.end()) {
      state_.emplace_back(known->second);
    } else if (!offered.empty()) {
      state_.emplace_back(plain(offered));
    } else {
      state_.emplace_back(plain(is_of_c ? name_of_iterator() : code()));
    }
    if (!offered.empty()) return;
    is_of_c ? add_fields() : add_locals();
  }

  std::string code() {
    std::string code;
    (void)lua_dump(lua_, append, &code);
    return code;
  }

  std::string name_of_iterator() {
    const std::string maker = maker_of_iterator(lua_);
    if (maker.empty() && !first_) luaL_error(lua_, "the lock remembers a function that no state can have");
    return "of " + maker;
  }

  /// What a function of C remembers: an iterator its place. Those of servers and clocks have the ports, and nothing
  /// else that changes.
  void add_fields() {
    for (int i = 1; lua_getupvalue(lua_, -1, i) != nullptr; ++i) {
      if (lua_islightuserdata(lua_, -1)) {
        lua_pop(lua_, 1);
        return;
      }
      add_top();
      lua_pop(lua_, 1);
    }
  }

  /// Functions may share a local. Lua 5.1 does not say which do, so each local that is seen has a mark in its place
  /// until the end of the walk. No lock has such a value.
  void add_locals() {
    for (int i = 1; lua_getupvalue(lua_, -1, i) != nullptr; ++i) {
      if (lua_islightuserdata(lua_, -1)) {
        add(Tag::local, *static_cast<const std::int64_t*>(lua_touserdata(lua_, -1)));
      } else {
        const auto number = static_cast<std::int64_t>(marks_.size());
        add(Tag::local, number);
        lua_pushvalue(lua_, -1);
        lua_rawseti(lua_, locals_, static_cast<int>(2 * number + 2));
        lua_pushvalue(lua_, -2);
        lua_rawseti(lua_, locals_, static_cast<int>(2 * number + 1));
        places_.push_back(i);
        lua_pushlightuserdata(lua_, &marks_.emplace_back(number));
        lua_setupvalue(lua_, -3, i);
        add_top();
      }
      lua_pop(lua_, 1);
    }
  }

  void put_back_locals() {
    for (int number = 0; number < static_cast<int>(places_.size()); ++number) {
      lua_rawgeti(lua_, locals_, 2 * number + 1);
      lua_rawgeti(lua_, locals_, 2 * number + 2);
      lua_setupvalue(lua_, -2, places_[static_cast<std::size_t>(number)]);
      lua_pop(lua_, 1);
    }
  }

  /// So that no other function comes to have its address.
  void keep_function() {
    functions_.try_emplace(lua_topointer(lua_, -1), static_cast<std::int64_t>(functions_.size()));
    lua_getfield(lua_, LUA_REGISTRYINDEX, kept_functions);
    lua_pushvalue(lua_, -2);
    lua_rawseti(lua_, -2, static_cast<int>(functions_.size()));
    lua_pop(lua_, 1);
  }

  lua_State* lua_;
  const std::map<const void*, std::int64_t>& known_;
  const bool first_;
  State state_;
  std::map<const void*, std::int64_t> seen_, functions_;  // looked up only: the numbers are by order of first sight
  int locals_ = 0;                  // index of a list: a function, the value of a local of it, and so on
  std::deque<int> places_;          // where the function has that local
  std::deque<std::int64_t> marks_;  // their numbers; the addresses are the marks
};

LockMemory::LockMemory(lua_State* lua) : lua_(lua) {
  lua_newtable(lua);
  lua_setfield(lua, LUA_REGISTRYINDEX, kept_functions);
  Walk first(lua, functions_, true);
  static_cast<void>(first.globals());
  functions_ = first.functions();
  begins_with_ = Walk(lua, functions_).globals();
}

void LockMemory::begin_step() {
  if (steps_++ > 0) return;
  settle(lua_);
  Sandbox::of(lua_).collect();
}

State LockMemory::now() const {
  State found = Walk(lua_, functions_).globals();
  return found == begins_with_ ? State() : found;
}

}  // namespace lockproof::lua
