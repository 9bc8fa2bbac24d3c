// SPDX-License-Identifier: Apache-2.0
// Sandbox: one Lua 5.1 state in which a person's lock runs. There is no way out of it: no files, no clock, no chance,
// nothing whose result depends on an address or on the order of a hash table. A step that runs on without end, or
// takes too much memory, is an error with a line. Locks use it one after the other, and each begins with nothing that
// another one has left.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <string_view>

#include "algorithms/port/pinned_object.hpp"
#include "harness/lua/budget.hpp"
#include "harness/lua/script_texts.hpp"

struct lua_State;

namespace lockproof::lua {

/// A file of a person: where it is, and what is in it.
struct Source {
  std::string file{};  // as it is named in messages
  std::string text{};
  mutable ScriptTexts scripts{};  // of all locks that are made from it
};

class Sandbox final : public PinnedObject {
 public:
  /// `source` must outlive it.
  explicit Sandbox(const Source& source);
  ~Sandbox();

  [[nodiscard]] lua_State* state() const { return state_.get(); }
  [[nodiscard]] const Source& source() const { return source_; }
  /// Begins anew: no globals but what was offered, nothing remembered.
  void begin();
  /// Runs the file from its first line to its last. Throws InputError.
  void load();
  /// Whether the file has a function of this name.
  [[nodiscard]] bool has(const char* function) const;
  /// Frees what nothing holds any more, if it is much. Requires that no function of the file is running: while one
  /// does, nothing is freed. The layout of a table would depend on when a key that was removed is freed.
  void collect();
  /// Replaces the table on top of the stack by an object that has its fields and cannot be changed.
  void seal();
  /// Pops the value on top of the stack: the file sees it as a global of this name.
  void offer(const char* name);

  /// What a C function has thrown inside Lua, which would turn it into an error without a word.
  void keep(std::exception_ptr thrown) { thrown_ = std::move(thrown); }
  /// Throws what ended a call that did not end well: what was kept, or an InputError with the line. The error is on top
  /// of the stack of `thread`.
  [[noreturn]] void fail(lua_State* thread, int status);
  /// Throws InputError: the file, the line at which its function of this name begins, what is wrong there.
  [[noreturn]] void refuse_in(const char* function, const std::string& what) const;
  [[noreturn]] void refuse(const std::string& what, int line = 0) const;

  /// Whether it has thrown: then no other lock may use it.
  [[nodiscard]] bool has_failed() const { return failed_; }

  /// Limits what runs on this thread from now on, up to the next command.
  static void limit(lua_State* thread) { Budget::of(thread).begin(thread); }
  [[nodiscard]] static Sandbox& of(lua_State* lua);

 private:
  struct Close {
    void operator()(lua_State* lua) const;
  };
  void offer_libraries();

  static constexpr int none = -2;  // no reference to the registry: LUA_NOREF

  const Source& source_;
  Budget budget_;
  std::size_t in_use_ = 0;  // after the last collection
  std::unique_ptr<lua_State, Close> state_;
  std::exception_ptr thrown_;
  int compiled_ = none;
  mutable bool failed_ = false;
};

}  // namespace lockproof::lua
