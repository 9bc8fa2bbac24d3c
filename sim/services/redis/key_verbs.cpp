// SPDX-License-Identifier: Apache-2.0
// Effects and error texts as Redis 7.0.15 has them (db.c, expire.c).
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "sim/services/redis/verbs.hpp"
#include "sim/services/redis/words.hpp"

namespace lockproof::sim::redis::verbs {
namespace {

struct ExpireOptions {
  bool if_none = false, if_some = false, if_later = false, if_earlier = false;
};

std::optional<Reply> read(const Words& words, ExpireOptions& options) {
  for (std::size_t i = 3; i < words.size(); ++i) {
    if (is_word(words[i], "NX")) {
      options.if_none = true;
    } else if (is_word(words[i], "XX")) {
      options.if_some = true;
    } else if (is_word(words[i], "GT")) {
      options.if_later = true;
    } else if (is_word(words[i], "LT")) {
      options.if_earlier = true;
    } else {
      return Reply::error(one_line(fmt::format("ERR Unsupported option {}", words[i].bytes().c_str())));
    }
  }
  if (options.if_none && (options.if_some || options.if_later || options.if_earlier)) {
    return Reply::error("ERR NX and XX, GT or LT options at the same time are not compatible");
  }
  if (options.if_later && options.if_earlier) {
    return Reply::error("ERR GT and LT options at the same time are not compatible");
  }
  return std::nullopt;
}

/// A key without expiry counts as later than any other.
bool wanted(const ExpireOptions& options, const std::optional<std::int64_t>& old, std::int64_t expires) {
  if (options.if_none && old) return false;
  if (options.if_some && !old) return false;
  if (options.if_later && (!old || expires <= *old)) return false;
  return !(options.if_earlier && old && expires >= *old);
}

/// Replaces the remaining time; a time that is not in the future deletes the key at once.
Reply expire_at(Scene& scene, const Words& words, std::int64_t unit_ms, std::int64_t from_ms) {
  ExpireOptions options;
  if (auto error = read(words, options)) return *std::move(error);
  const auto amount = integer(words[2]);
  if (!amount) return Reply::error(not_an_integer);
  const bool fits =
      *amount <= INT64_MAX / unit_ms && *amount >= INT64_MIN / unit_ms && *amount * unit_ms <= INT64_MAX - from_ms;
  if (!fits) return Reply::error(fmt::format("ERR invalid expire time in '{}' command", lower(words[0].bytes())));
  const std::int64_t expires = *amount * unit_ms + from_ms;

  const std::string& key = words[1].bytes();
  Entry* entry = scene.find(key);
  if (!entry || !wanted(options, entry->expires_ms, expires)) return Reply::integer(0);
  if (expires <= scene.now_ms && !scene.from_master) {
    scene.erase(key);
    scene.rewritten = Words{"DEL", words[1]};
  } else {
    scene.expire(key, *entry, expires);
    scene.rewritten = words;
    (*scene.rewritten)[0] = is_word(words[0], "PEXPIREAT") ? words[0] : "PEXPIREAT";
    (*scene.rewritten)[2] = stamp_word(expires);
  }
  return Reply::integer(1);
}

/// -2: no such key, -1: it does not expire.
Reply left(Scene& scene, const Words& words, bool absolute, bool in_seconds) {
  const Entry* entry = scene.find(words[1].bytes());
  if (!entry) return Reply::integer(-2);
  if (!entry->expires_ms) return Reply::integer(-1);
  const std::int64_t ms = absolute ? *entry->expires_ms : std::max<std::int64_t>(0, *entry->expires_ms - scene.now_ms);
  if (!in_seconds) return Reply::integer(ms);
  // Rounded to the nearest second, unsigned: near the end of the range the sum exceeds a signed integer.
  return Reply::integer(static_cast<std::int64_t>((static_cast<std::uint64_t>(ms) + 500) / 1000));
}

}  // namespace

Reply del(Scene& scene, const Words& words) {
  std::int64_t deleted = 0;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (!scene.find(words[i].bytes())) continue;
    scene.erase(words[i].bytes());
    ++deleted;
  }
  return Reply::integer(deleted);
}

Reply exists(Scene& scene, const Words& words) {
  std::int64_t found = 0;
  for (std::size_t i = 1; i < words.size(); ++i) found += scene.find(words[i].bytes()) != nullptr;
  return Reply::integer(found);
}

Reply type(Scene& scene, const Words& words) {
  const Entry* entry = scene.find(words[1].bytes());
  return Reply::status(!entry ? "none" : entry->string() ? "string" : "hash");
}

Reply expire(Scene& scene, const Words& words) { return expire_at(scene, words, 1000, scene.now_ms); }
Reply pexpire(Scene& scene, const Words& words) { return expire_at(scene, words, 1, scene.now_ms); }
Reply expireat(Scene& scene, const Words& words) { return expire_at(scene, words, 1000, 0); }
Reply pexpireat(Scene& scene, const Words& words) { return expire_at(scene, words, 1, 0); }

Reply persist(Scene& scene, const Words& words) {
  Entry* entry = scene.find(words[1].bytes());
  if (!entry || !entry->expires_ms) return Reply::integer(0);
  entry->expires_ms.reset();
  scene.changed(words[1].bytes(), "persist", harness::Change::renewed);
  return Reply::integer(1);
}

Reply ttl(Scene& scene, const Words& words) { return left(scene, words, false, true); }
Reply pttl(Scene& scene, const Words& words) { return left(scene, words, false, false); }
Reply expiretime(Scene& scene, const Words& words) { return left(scene, words, true, true); }
Reply pexpiretime(Scene& scene, const Words& words) { return left(scene, words, true, false); }

/// Expired keys that have not been looked at since are counted too.
Reply dbsize(Scene& scene, const Words&) {
  return Reply::integer(static_cast<std::int64_t>(scene.node.keys.entries().size()));
}

Reply flush(Scene& scene, const Words& words) {
  const bool known =
      words.size() == 1 || (words.size() == 2 && (is_word(words[1], "SYNC") || is_word(words[1], "ASYNC")));
  if (!known) return Reply::error(syntax_error);
  scene.clear();
  scene.dirty = true;
  return Reply::status("OK");
}

}  // namespace lockproof::sim::redis::verbs
