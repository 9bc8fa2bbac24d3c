// SPDX-License-Identifier: Apache-2.0
// Effects and error texts as Redis 7.0.15 has them (t_hash.c), for hashes that are small enough to keep their order.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "sim/services/redis/verbs.hpp"
#include "sim/services/redis/words.hpp"

namespace lockproof::sim::redis::verbs {
namespace {

Value* value_of(Hash& hash, const Value& field) {
  const auto found = std::ranges::find(hash, field, &Hash::value_type::first);
  return found == hash.end() ? nullptr : &found->second;
}

/// The result of a look-up: a hash, no key, or a key of another type.
struct HashLookup {
  Hash* hash = nullptr;
  bool wrong = false;
};

HashLookup find(Scene& scene, const Words& words) {
  Entry* entry = scene.find(words[1].bytes());
  if (!entry) return {};
  Hash* hash = std::get_if<Hash>(&entry->content);
  return {hash, hash == nullptr};
}

Hash& made(Scene& scene, const Words& words, HashLookup found) {
  if (found.hash) return *found.hash;
  return std::get<Hash>(scene.node.keys.put(words[1].bytes(), Entry{Hash()}).content);
}

/// Whether the field is new.
bool put(Hash& hash, const Value& field, Value value) {
  if (Value* old = value_of(hash, field)) {
    *old = std::move(value);
    return false;
  }
  hash.emplace_back(field, std::move(value));
  return true;
}

}  // namespace

Reply hset(Scene& scene, const Words& words) {
  if (words.size() % 2 == 1) {
    return Reply::error(fmt::format("ERR wrong number of arguments for '{}' command", lower(words[0].bytes())));
  }
  const HashLookup found = find(scene, words);
  if (found.wrong) return Reply::error(wrong_type);
  Hash& hash = made(scene, words, found);
  std::int64_t added = 0;
  for (std::size_t i = 2; i < words.size(); i += 2) added += put(hash, words[i], words[i + 1]);
  scene.changed(words[1].bytes(), "hset");
  return Reply::integer(added);
}

Reply hmset(Scene& scene, const Words& words) {
  Reply reply = hset(scene, words);
  return reply.is_error() ? reply : Reply::status("OK");
}

Reply hsetnx(Scene& scene, const Words& words) {
  const HashLookup found = find(scene, words);
  if (found.wrong) return Reply::error(wrong_type);
  if (found.hash && value_of(*found.hash, words[2])) return Reply::integer(0);
  put(made(scene, words, found), words[2], words[3]);
  scene.changed(words[1].bytes(), "hset");
  return Reply::integer(1);
}

Reply hget(Scene& scene, const Words& words) {
  const HashLookup found = find(scene, words);
  if (found.wrong) return Reply::error(wrong_type);
  const Value* value = found.hash ? value_of(*found.hash, words[2]) : nullptr;
  return value ? Reply::bulk(*value) : Reply::nil();
}

Reply hexists(Scene& scene, const Words& words) {
  const HashLookup found = find(scene, words);
  if (found.wrong) return Reply::error(wrong_type);
  return Reply::integer(found.hash && value_of(*found.hash, words[2]));
}

/// Deleting the last field deletes the key.
Reply hdel(Scene& scene, const Words& words) {
  const HashLookup found = find(scene, words);
  if (found.wrong) return Reply::error(wrong_type);
  if (!found.hash) return Reply::integer(0);
  std::int64_t deleted = 0;
  for (std::size_t i = 2; i < words.size(); ++i) {
    deleted +=
        static_cast<std::int64_t>(std::erase_if(*found.hash, [&](const auto& pair) { return pair.first == words[i]; }));
  }
  if (deleted == 0) return Reply::integer(0);
  const std::string& key = words[1].bytes();
  const bool empty = found.hash->empty();
  if (empty) scene.node.keys.erase(key);
  scene.changed(key, "hdel");
  if (empty) scene.note(harness::Change::released, "del", key);
  return Reply::integer(deleted);
}

Reply hincrby(Scene& scene, const Words& words) {
  const auto amount = integer(words[3]);
  if (!amount) return Reply::error(not_an_integer);
  const HashLookup found = find(scene, words);
  if (found.wrong) return Reply::error(wrong_type);
  const Value* value = found.hash ? value_of(*found.hash, words[2]) : nullptr;
  const auto old = value ? integer(*value) : 0;
  if (!old) return Reply::error("ERR hash value is not an integer");
  std::int64_t sum = 0;
  if (__builtin_add_overflow(*old, *amount, &sum)) return Reply::error(would_overflow);
  put(made(scene, words, found), words[2], Value::number(sum));
  scene.changed(words[1].bytes(), "hincrby");
  return Reply::integer(sum);
}

Reply hgetall(Scene& scene, const Words& words) {
  const HashLookup found = find(scene, words);
  if (found.wrong) return Reply::error(wrong_type);
  std::vector<Reply> items;
  if (found.hash) {
    for (const auto& [field, value] : *found.hash) {
      items.push_back(Reply::bulk(field));
      items.push_back(Reply::bulk(value));
    }
  }
  return Reply::array(std::move(items));
}

Reply hlen(Scene& scene, const Words& words) {
  const HashLookup found = find(scene, words);
  if (found.wrong) return Reply::error(wrong_type);
  return Reply::integer(found.hash ? static_cast<std::int64_t>(found.hash->size()) : 0);
}

}  // namespace lockproof::sim::redis::verbs
