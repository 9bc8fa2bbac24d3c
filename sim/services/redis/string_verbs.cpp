// SPDX-License-Identifier: Apache-2.0
// Effects and error texts as Redis 7.0.15 has them (t_string.c).
#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/services/redis/verbs.hpp"
#include "sim/services/redis/words.hpp"

namespace lockproof::sim::redis::verbs {
namespace {

/// The argument of EX, PX, EXAT or PXAT.
struct ExpiryOption {
  const char* name;
  std::int64_t unit_ms;
  bool absolute;
};
constexpr ExpiryOption expiry_options[] = {
    {"EX", 1000, false}, {"PX", 1, false}, {"EXAT", 1000, true}, {"PXAT", 1, true}};

struct SetOptions {
  bool only_new = false, only_old = false, answer_old = false, keep_expiry = false;
  const ExpiryOption* expiry = nullptr;
  const Value* amount = nullptr;
};

/// False: a syntax error. Repeating an option is allowed, and of EX 1 EX 2 the last counts.
bool read(const Words& words, SetOptions& options) {
  for (std::size_t i = 3; i < words.size(); ++i) {
    if (is_word(words[i], "NX") && !options.only_old) {
      options.only_new = true;
    } else if (is_word(words[i], "XX") && !options.only_new) {
      options.only_old = true;
    } else if (is_word(words[i], "GET")) {
      options.answer_old = true;
    } else if (is_word(words[i], "KEEPTTL") && !options.expiry) {
      options.keep_expiry = true;
    } else {
      const ExpiryOption* found = nullptr;
      for (const ExpiryOption& option : expiry_options) found = is_word(words[i], option.name) ? &option : found;
      if (!found || options.keep_expiry || (options.expiry && options.expiry != found) || i + 1 == words.size()) {
        return false;
      }
      options.expiry = found;
      options.amount = &words[++i];
    }
  }
  return true;
}

/// The stamp, or an error reply.
struct Stamp {
  std::optional<std::int64_t> ms;
  Reply error = Reply::nil();
};

Stamp stamp(const Scene& scene, const Value& word, const ExpiryOption& option, const Words& words) {
  const auto amount = integer(word);
  if (!amount) return {std::nullopt, Reply::error(not_an_integer)};
  const Reply refused = Reply::error(fmt::format("ERR invalid expire time in '{}' command", lower(words[0].bytes())));
  if (*amount <= 0 || *amount > INT64_MAX / option.unit_ms) return {std::nullopt, refused};
  const std::int64_t ms = *amount * option.unit_ms;
  if (option.absolute) return {ms};
  if (ms > INT64_MAX - scene.now_ms) return {std::nullopt, refused};
  return {ms + scene.now_ms};
}

Words with_stamp(const Words& words, const Value& value, std::int64_t ms) {
  return {"SET", words[1], value, "PXAT", stamp_word(ms)};
}

Reply store_with_stamp(Scene& scene, const Words& words, const ExpiryOption& option) {
  const Stamp expires = stamp(scene, words[2], option, words);
  if (!expires.ms) return expires.error;
  (void)scene.find(words[1].bytes());
  scene.set(words[1].bytes(), words[3], expires.ms);
  scene.rewritten = with_stamp(words, words[3], *expires.ms);
  return Reply::status("OK");
}

Reply add(Scene& scene, const Words& words, std::int64_t amount) {
  const std::string& key = words[1].bytes();
  Entry* entry = scene.find(key);
  if (entry && !entry->string()) return Reply::error(wrong_type);
  const auto old = entry ? integer(*entry->string()) : 0;
  if (!old) return Reply::error(not_an_integer);
  std::int64_t sum = 0;
  if (__builtin_add_overflow(*old, amount, &sum)) return Reply::error(would_overflow);
  if (entry) {
    entry->content = Value::number(sum);
  } else {
    scene.node.keys.put(key, Entry{Value::number(sum)});
  }
  scene.changed(key, "incrby");
  return Reply::integer(sum);
}

}  // namespace

Reply get(Scene& scene, const Words& words) {
  const Entry* entry = scene.find(words[1].bytes());
  if (!entry) return Reply::nil();
  return entry->string() ? Reply::bulk(*entry->string()) : Reply::error(wrong_type);
}

Reply mget(Scene& scene, const Words& words) {
  std::vector<Reply> items;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const Entry* entry = scene.find(words[i].bytes());
    const Value* value = entry ? entry->string() : nullptr;
    items.push_back(value ? Reply::bulk(*value) : Reply::nil());
  }
  return Reply::array(std::move(items));
}

Reply set(Scene& scene, const Words& words) {
  SetOptions options;
  if (!read(words, options)) return Reply::error(syntax_error);
  Stamp expires;
  if (options.expiry) {
    expires = stamp(scene, *options.amount, *options.expiry, words);
    if (!expires.ms) return expires.error;
  }
  Reply old = Reply::nil();
  if (options.answer_old) {
    old = get(scene, words);
    if (old.is_error()) return old;
  }
  const bool found = scene.find(words[1].bytes()) != nullptr;
  if ((options.only_new && found) || (options.only_old && !found)) return old;
  scene.set(words[1].bytes(), words[2], expires.ms, options.keep_expiry);
  if (expires.ms) {
    scene.rewritten = with_stamp(words, words[2], *expires.ms);
  } else if (options.answer_old) {
    scene.rewritten = words;
    std::erase_if(*scene.rewritten, [&, i = 0](const Value& word) mutable { return i++ >= 3 && is_word(word, "GET"); });
  }
  return options.answer_old ? old : Reply::status("OK");
}

Reply setnx(Scene& scene, const Words& words) {
  if (scene.find(words[1].bytes())) return Reply::integer(0);
  scene.set(words[1].bytes(), words[2], std::nullopt);
  return Reply::integer(1);
}

Reply setex(Scene& scene, const Words& words) { return store_with_stamp(scene, words, expiry_options[0]); }
Reply psetex(Scene& scene, const Words& words) { return store_with_stamp(scene, words, expiry_options[1]); }

Reply getset(Scene& scene, const Words& words) {
  Reply old = get(scene, words);
  if (old.is_error()) return old;
  scene.set(words[1].bytes(), words[2], std::nullopt);
  scene.rewritten = Words{"SET", words[1], words[2]};
  return old;
}

Reply getdel(Scene& scene, const Words& words) {
  Reply old = get(scene, words);
  if (old.kind() != Reply::Kind::bulk) return old;
  scene.erase(words[1].bytes());
  scene.rewritten = Words{"DEL", words[1]};
  return old;
}

Reply strlen(Scene& scene, const Words& words) {
  const Reply value = get(scene, words);
  if (value.is_error()) return value;
  return Reply::integer(static_cast<std::int64_t>(value.value().bytes().size()));
}

Reply incr(Scene& scene, const Words& words) { return add(scene, words, 1); }
Reply decr(Scene& scene, const Words& words) { return add(scene, words, -1); }

Reply incrby(Scene& scene, const Words& words) {
  const auto amount = integer(words[2]);
  return amount ? add(scene, words, *amount) : Reply::error(not_an_integer);
}

Reply decrby(Scene& scene, const Words& words) {
  const auto amount = integer(words[2]);
  if (!amount) return Reply::error(not_an_integer);
  if (*amount == INT64_MIN) return Reply::error("ERR decrement would overflow");
  return add(scene, words, -*amount);
}

}  // namespace lockproof::sim::redis::verbs
