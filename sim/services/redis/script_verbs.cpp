// SPDX-License-Identifier: Apache-2.0
// Effects and error texts as Redis 7.0.15 has them (eval.c).
#include <string>

#include "sim/services/redis/script_engine.hpp"
#include "sim/services/redis/verbs.hpp"
#include "sim/services/redis/words.hpp"

namespace lockproof::sim::redis::verbs {
namespace {

/// An error in the number of keys, if there is one.
std::optional<Reply> wrong_keys(const Words& words) {
  const auto keys = integer(words[2]);
  if (!keys) return Reply::error(not_an_integer);
  if (*keys > static_cast<std::int64_t>(words.size()) - 3) {
    return Reply::error("ERR Number of keys can't be greater than number of args");
  }
  if (*keys < 0) return Reply::error("ERR Number of keys can't be negative");
  return std::nullopt;
}

Reply run(Scene& scene, const ScriptEngine::CompiledScript& script, const Words& words) {
  return scene.engine.run(scene, script, words, static_cast<std::size_t>(*integer(words[2])));
}

}  // namespace

Reply eval(Scene& scene, const Words& words) {
  if (auto error = wrong_keys(words)) return *std::move(error);
  const ScriptEngine::CompiledScript& script = scene.engine.compile(words[1].bytes());
  if (!script.error.empty()) return Reply::error(script.error);
  scene.node.scripts.try_emplace(script.sha1, words[1].bytes());
  return run(scene, script, words);
}

Reply evalsha(Scene& scene, const Words& words) {
  if (words[1].bytes().size() != 40) return Reply::error(no_script);
  if (auto error = wrong_keys(words)) return *std::move(error);
  const auto known = scene.node.scripts.find(lower(words[1].bytes()));
  if (known == scene.node.scripts.end()) return Reply::error(no_script);
  return run(scene, scene.engine.compile(known->second), words);
}

Reply script_load(Scene& scene, const Words& words) {
  const ScriptEngine::CompiledScript& script = scene.engine.compile(words[2].bytes());
  if (!script.error.empty()) return Reply::error(script.error);
  scene.node.scripts.try_emplace(script.sha1, words[2].bytes());
  return Reply::bulk(Value(script.sha1));
}

Reply script_exists(Scene& scene, const Words& words) {
  std::vector<Reply> known;
  for (std::size_t i = 2; i < words.size(); ++i) {
    known.push_back(Reply::integer(scene.node.scripts.contains(lower(words[i].bytes()))));
  }
  return Reply::array(std::move(known));
}

Reply script_flush(Scene& scene, const Words& words) {
  const bool known =
      words.size() == 2 || (words.size() == 3 && (is_word(words[2], "SYNC") || is_word(words[2], "ASYNC")));
  if (!known) return Reply::error("ERR SCRIPT FLUSH only support SYNC|ASYNC option");
  scene.node.scripts.clear();
  return Reply::status("OK");
}

}  // namespace lockproof::sim::redis::verbs
