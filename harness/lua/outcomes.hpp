// SPDX-License-Identifier: Apache-2.0
// Outcomes: what the functions of a lock in Lua return, read strictly, so that a slip is a message and not a verdict.
#pragma once

#include <optional>

#include "algorithms/port/lock.hpp"

struct lua_State;

namespace lockproof::lua {

class Sandbox;

/// Puts busy, failed and skipped among what a file may use.
void offer_outcomes(Sandbox& sandbox);
/// A table: name, token, deadline, fence, renewal.
void push_grant(lua_State* lua, const Grant& grant);

/// What a function has returned, on the stack of its thread. Each throws InputError with the line of the function.
class Outcomes {
 public:
  Outcomes(Sandbox& sandbox, lua_State* lua) : sandbox_(sandbox), lua_(lua) {}

  /// A grant {token = …}, busy(), or failed(why).
  [[nodiscard]] Attempt attempt(const Name& name);
  /// true, false, skipped() or failed(why).
  [[nodiscard]] Result<ReleaseResult> released();
  /// A grant, false or failed(why). What the table does not say is as before.
  [[nodiscard]] Result<std::optional<Grant>> renewed(const Grant& before);
  [[nodiscard]] bool waited();
  /// The least and the most milliseconds; one number: both.
  [[nodiscard]] Retry retry();

 private:
  Grant grant(const char* function, std::optional<Grant> before, const Name& name);
  Renewal renewal(const char* function);
  [[noreturn]] void refuse(const char* function, const char* expected);

  Sandbox& sandbox_;
  lua_State* lua_;
};

}  // namespace lockproof::lua
