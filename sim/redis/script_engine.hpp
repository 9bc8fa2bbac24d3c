// SPDX-License-Identifier: Apache-2.0
// ScriptEngine: runs the scripts' own text in Lua 5.1, as Redis does, against a simulated node's keys. It keeps
// compiled scripts and nothing else between runs, so one engine serves all nodes of a world.
#pragma once

#include <cstddef>
#include <memory>

#include "algorithms/port/pinned.hpp"
#include "sim/redis/commands.hpp"

namespace lockproof::sim::redis {

class ScriptEngine final : public Pinned {
 public:
  ScriptEngine();
  ~ScriptEngine();

  /// EVAL: words are EVAL, the text, the number of keys, the keys, the arguments. A script's error is an error reply.
  Reply run(Scene& scene, const Words& words, std::size_t key_count);

 private:
  class Lua;
  std::unique_ptr<Lua> lua_;
};

}  // namespace lockproof::sim::redis
