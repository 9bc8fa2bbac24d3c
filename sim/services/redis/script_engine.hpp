// SPDX-License-Identifier: Apache-2.0
// ScriptEngine: runs the scripts' own text in Lua 5.1, as Redis does, against a simulated node. It keeps compiled
// scripts and nothing else between runs, so one engine serves all nodes of a world; which scripts a node knows is the
// node's own state.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "algorithms/port/pinned_object.hpp"
#include "sim/services/redis/scene.hpp"

namespace lockproof::sim::redis {

class ScriptEngine final : public PinnedObject {
 public:
  struct CompiledScript {
    int reference = 0;
    std::string sha1{};
    std::string error{};  // not empty: the text is not valid Lua
  };

  ScriptEngine();
  ~ScriptEngine();

  [[nodiscard]] const CompiledScript& compile(const std::string& text);
  /// `words` are EVAL, the text (or EVALSHA, its name), the number of keys, the keys, the arguments. A script's error
  /// is an error reply.
  Reply run(Scene& scene, const CompiledScript& script, const Words& words, std::size_t key_count);

 private:
  class Lua;
  std::unique_ptr<Lua> lua_;
};

}  // namespace lockproof::sim::redis
