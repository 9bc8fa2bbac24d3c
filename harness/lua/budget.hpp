// SPDX-License-Identifier: Apache-2.0
// Budget: what code in Lua may use before it must come to an end: steps and memory. Lua counts its own instructions and
// nothing of what its libraries do in C, where a pattern can take years and a string all memory. So the functions of
// these are charged for what they are about to do, before they do it (metered.hpp), and no block of memory is large.
// What is left, an instruction takes less than a millisecond, and every thousand of them look whether to stop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "algorithms/port/pinned_object.hpp"

struct lua_State;
struct lua_Debug;

namespace lockproof::lua {

class Budget final : public PinnedObject {
 public:
  static constexpr std::uint64_t steps_most = 10'000'000;
  static constexpr std::size_t memory_most = std::size_t{64} << 20;  // bytes
  static constexpr std::size_t pattern_most = 4'000;                 // characters: each may be a call within a call
  static constexpr std::size_t block_most = std::size_t{4} << 20;    // a string, or the inside of a table

  enum class End : std::uint8_t { none, steps, memory, pattern, stopped };

  /// Of a state whose allocator is `allocate` with a Budget, which must outlive it; its threads share it.
  [[nodiscard]] static Budget& of(lua_State* lua);
  static void* allocate(void* budget, void* old, std::size_t old_size, std::size_t size);

  /// What runs on this thread from now on has all steps before it.
  void begin(lua_State* thread);
  /// Takes steps from what is left. Raises an error of Lua where there are too few.
  void charge(lua_State* lua, std::uint64_t steps, int level = 1);
  [[nodiscard]] std::uint64_t left() const { return steps_most - used_; }
  /// Raises an error of Lua; the code that called Lua asks why it ended. `level`: of the function whose line is named.
  void end(lua_State* lua, End why, int level = 1);

  [[nodiscard]] static std::string text_of(End why);
  [[nodiscard]] End ended() const { return end_; }
  /// Bytes that the state has now.
  [[nodiscard]] std::size_t memory() const { return memory_; }

 private:
  static void look(lua_State* lua, lua_Debug* at);

  std::uint64_t used_ = 0;
  std::size_t memory_ = 0;
  End end_ = End::none;
};

}  // namespace lockproof::lua
