// SPDX-License-Identifier: Apache-2.0
// Table: reads a table that a file wrote, field by field; a field that is not known is an error, as in a scenario.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>

#include "algorithms/port/instant.hpp"
#include "harness/lua/sandbox.hpp"
#include "harness/lua/values.hpp"

namespace lockproof::lua {

class Table {
 public:
  /// The table on top of the stack of `lua`. `what`: it, in messages; `function`: whose line they name.
  Table(Sandbox& sandbox, lua_State* lua, const char* function, std::string what,
        std::initializer_list<const char*> known);

  [[nodiscard]] std::optional<Value> value(const char* field) const;
  [[nodiscard]] std::optional<std::string> text(const char* field) const;
  [[nodiscard]] std::optional<Duration> duration(const char* field) const;
  [[nodiscard]] std::optional<std::int64_t> whole(const char* field) const;
  [[nodiscard]] std::optional<AnyInstant> instant(const char* field) const;
  [[nodiscard]] std::optional<bool> flag(const char* field) const;
  /// Which of the words it is, from 0.
  [[nodiscard]] std::optional<int> word(const char* field, std::initializer_list<const char*> words) const;
  /// Pushes the table in this field and returns true; or pushes nothing.
  [[nodiscard]] bool enter(const char* field) const;
  [[noreturn]] void refuse(const std::string& why) const;

 private:
  template <class Read>
  auto read(const char* field, const std::string& expected, const Read& reader) const;

  Sandbox& sandbox_;
  lua_State* lua_;
  const char* function_;
  std::string what_;
};

}  // namespace lockproof::lua
