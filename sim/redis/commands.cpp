// SPDX-License-Identifier: Apache-2.0
// Effects and error texts as Redis 7.0.15 has them (t_string.c, expire.c, server.c).
#include "sim/redis/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>

#include "sim/redis/script_engine.hpp"

namespace lockproof::sim::redis {
namespace {

constexpr const char* not_an_integer = "ERR value is not an integer or out of range";
constexpr const char* syntax_error = "ERR syntax error";

std::optional<std::int64_t> integer(const Value& word) {
  const std::string& s = word.bytes();
  std::int64_t n = 0;
  const auto [end, failed] = std::from_chars(s.data(), s.data() + s.size(), n);
  const bool canonical = s == "0" || (!s.empty() && s[s[0] == '-' ? 1 : 0] != '0');  // no "007", no "-0"
  if (failed != std::errc() || end != s.data() + s.size() || !canonical) return std::nullopt;
  return n;
}

bool is_word(const Value& word, std::string_view upper) {
  return std::ranges::equal(word.bytes(), upper,
                            [](char a, char b) { return (a >= 'a' && a <= 'z' ? a - 32 : a) == b; });
}

Reply get(Scene& scene, const Words& words) {
  const Entry* entry = scene.keys.find(words[1].bytes(), scene.now);
  return entry ? Reply::bulk(entry->value) : Reply::nil();
}

Reply setnx(Scene& scene, const Words& words) {
  if (scene.keys.find(words[1].bytes(), scene.now)) return Reply::integer(0);
  scene.keys.set(words[1].bytes(), words[2], std::nullopt, scene.now);
  return Reply::integer(1);
}

Reply getset(Scene& scene, const Words& words) {
  Reply old = get(scene, words);
  scene.keys.set(words[1].bytes(), words[2], std::nullopt, scene.now);
  return old;
}

/// Milliseconds until `amount` units have passed; nothing if Redis would not take it.
std::optional<std::int64_t> stamp_after(const Scene& scene, std::int64_t amount, std::int64_t unit_ms) {
  if (amount > INT64_MAX / unit_ms || amount < INT64_MIN / unit_ms) return std::nullopt;
  const std::int64_t ms = amount * unit_ms;
  if (ms > INT64_MAX - scene.now.wall_ms) return std::nullopt;
  return ms + scene.now.wall_ms;
}

Reply set(Scene& scene, const Words& words) {
  bool only_new = false;
  std::optional<std::int64_t> unit_ms, amount;
  for (std::size_t i = 3; i < words.size(); ++i) {
    const bool seconds = is_word(words[i], "EX"), milliseconds = is_word(words[i], "PX");
    if (is_word(words[i], "NX")) {
      only_new = true;
    } else if ((seconds || milliseconds) && !unit_ms && i + 1 < words.size()) {
      unit_ms = seconds ? 1000 : 1;
      amount = integer(words[++i]);
      if (!amount) return Reply::error(not_an_integer);
    } else {
      return Reply::error(syntax_error);
    }
  }
  std::optional<std::int64_t> expires;
  if (unit_ms) {
    expires = stamp_after(scene, *amount, *unit_ms);
    if (*amount <= 0 || !expires) return Reply::error("ERR invalid expire time in 'set' command");
  }
  if (only_new && scene.keys.find(words[1].bytes(), scene.now)) return Reply::nil();
  scene.keys.set(words[1].bytes(), words[2], expires, scene.now);
  return Reply::status("OK");
}

Reply del(Scene& scene, const Words& words) {
  std::int64_t deleted = 0;
  for (std::size_t i = 1; i < words.size(); ++i) deleted += scene.keys.erase(words[i].bytes(), scene.now);
  return Reply::integer(deleted);
}

Reply exists(Scene& scene, const Words& words) {
  std::int64_t found = 0;
  for (std::size_t i = 1; i < words.size(); ++i) found += scene.keys.find(words[i].bytes(), scene.now) != nullptr;
  return Reply::integer(found);
}

/// Replaces what was left; a time that is not in the future deletes the key at once.
Reply expire_in(Scene& scene, const Words& words, std::int64_t unit_ms, const char* verb) {
  const auto amount = integer(words[2]);
  if (!amount) return Reply::error(not_an_integer);
  const auto expires = stamp_after(scene, *amount, unit_ms);
  if (!expires) return Reply::error(fmt::format("ERR invalid expire time in '{}' command", verb));
  const std::string& key = words[1].bytes();
  if (!scene.keys.find(key, scene.now)) return Reply::integer(0);
  if (*expires <= scene.now.wall_ms) {
    scene.keys.erase(key, scene.now);
  } else {
    scene.keys.expire(key, *expires, scene.now);
  }
  return Reply::integer(1);
}

Reply expire(Scene& scene, const Words& words) { return expire_in(scene, words, 1000, "expire"); }
Reply pexpire(Scene& scene, const Words& words) { return expire_in(scene, words, 1, "pexpire"); }

/// -2: no such key, -1: it does not expire.
Reply pttl(Scene& scene, const Words& words) {
  const Entry* entry = scene.keys.find(words[1].bytes(), scene.now);
  if (!entry) return Reply::integer(-2);
  if (!entry->expires_ms) return Reply::integer(-1);
  return Reply::integer(std::max<std::int64_t>(0, *entry->expires_ms - scene.now.wall_ms));
}

Reply ping(Scene&, const Words& words) { return words.size() == 1 ? Reply::status("PONG") : Reply::bulk(words[1]); }

Reply eval(Scene& scene, const Words& words) {
  const auto keys = integer(words[2]);
  if (!keys) return Reply::error(not_an_integer);
  if (*keys > static_cast<std::int64_t>(words.size()) - 3) {
    return Reply::error("ERR Number of keys can't be greater than number of args");
  }
  if (*keys < 0) return Reply::error("ERR Number of keys can't be negative");
  return scene.scripts.run(scene, words, static_cast<std::size_t>(*keys));
}

constexpr std::array table{
    CommandRule{"DEL", -2, true, del},        CommandRule{"EVAL", -3, false, eval},
    CommandRule{"EXISTS", -2, true, exists},  CommandRule{"EXPIRE", 3, true, expire},
    CommandRule{"GET", 2, true, get},         CommandRule{"GETSET", 3, true, getset},
    CommandRule{"PEXPIRE", 3, true, pexpire}, CommandRule{"PING", -1, true, ping},
    CommandRule{"PTTL", 2, true, pttl},       CommandRule{"SET", -3, true, set},
    CommandRule{"SETNX", 3, true, setnx},
};

Reply unknown(const Words& words) {
  std::string shown;
  for (std::size_t i = 1; i < words.size() && shown.size() < 128; ++i) {
    shown += fmt::format("'{:.{}}' ", words[i].bytes(), 128 - shown.size());
  }
  return Reply::error(
      fmt::format("ERR unknown command '{:.128}', with args beginning with: {}", words[0].bytes(), shown));
}

}  // namespace

std::span<const CommandRule> command_table() { return table; }

Reply execute(Scene& scene, const Words& words, bool in_script) {
  const auto rule = std::ranges::find_if(table, [&](const CommandRule& r) { return is_word(words[0], r.verb); });
  if (rule == table.end()) {
    return in_script ? Reply::error("ERR Unknown Redis command called from script") : unknown(words);
  }
  const int count = static_cast<int>(words.size());
  if (rule->arity > 0 ? count != rule->arity : count < -rule->arity) {
    if (in_script) return Reply::error("ERR Wrong number of args calling Redis command from script");
    std::string verb(rule->verb);
    std::ranges::transform(verb, verb.begin(), [](char c) { return static_cast<char>(c + 32); });
    return Reply::error(fmt::format("ERR wrong number of arguments for '{}' command", verb));
  }
  if (in_script && !rule->in_scripts) return Reply::error("ERR This Redis command is not allowed from script");
  return rule->run(scene, words);
}

}  // namespace lockproof::sim::redis
