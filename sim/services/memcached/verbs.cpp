// SPDX-License-Identifier: Apache-2.0
#include "sim/services/memcached/verbs.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "sim/services/memcached/effects.hpp"
#include "sim/world/requests/request_rule.hpp"

namespace lockproof::sim::memcached {
namespace {

using Words = std::vector<Value>;

constexpr std::size_t longest_key = 250;
const char* const malformed = "CLIENT_ERROR bad command line format";

template <class Integer>
std::optional<Integer> number(std::string_view text) {
  Integer n{};
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return n;
}

/// The number that incr reads: blanks around the digits do not count.
std::optional<std::uint64_t> counter(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return number<std::uint64_t>(text);
}

/// The tick at which an item stored now with this time to live expires; nothing: never. A time in the past expires at
/// once.
std::optional<std::int64_t> end_of(const Scene& scene, std::int64_t ttl_s) {
  if (ttl_s == 0) return std::nullopt;
  const std::int64_t tick = scene.tick();
  if (ttl_s < 0) return tick;
  return ttl_s > longest_ttl_s ? std::max(ttl_s - scene.started_s, tick) : tick + ttl_s;
}

/// The time until a tick, in milliseconds, counted so that the item is still there in the last one.
std::optional<milliseconds> left_until(const Scene& scene, std::optional<std::int64_t> ends_at) {
  if (!ends_at) return std::nullopt;
  const Duration left = scene.ticks.until(*ends_at, scene.mono_us);
  return std::chrono::ceil<milliseconds>(left) - milliseconds(1);
}

bool is_over(const Scene& scene, std::optional<std::int64_t> ends_at) { return ends_at && *ends_at <= scene.tick(); }

/// Stores the value. If it has expired already, it cannot be found, and the old item is gone.
Reply store(const Scene& scene, const std::string& key, const Value& value, std::int64_t ttl_s) {
  const auto ends_at = end_of(scene, ttl_s);
  const bool was_there = scene.items.find(key) != nullptr;
  scene.items.store(key, value, ends_at);
  if (!is_over(scene, ends_at)) {
    stored(scene.effects, key);
    if (ends_at) lives(scene.effects, key, left_until(scene, ends_at));
  } else if (was_there) {
    deleted(scene.effects, key);
  }
  return Reply::status("STORED");
}

Reply add(const Scene& scene, const Words& words) {
  const auto ttl_s = number<std::int64_t>(words[3].bytes());
  if (!ttl_s) return Reply::error(malformed);
  if (scene.find(words[1].bytes())) return Reply::status("NOT_STORED");
  return store(scene, words[1].bytes(), words[2], *ttl_s);
}

Reply set(const Scene& scene, const Words& words) {
  const auto ttl_s = number<std::int64_t>(words[3].bytes());
  if (!ttl_s) return Reply::error(malformed);
  (void)scene.find(words[1].bytes());
  return store(scene, words[1].bytes(), words[2], *ttl_s);
}

Reply gets(const Scene& scene, const Words& words) {
  const Item* const item = scene.find(words[1].bytes());
  if (!item) return Reply::nil();
  return Reply::array({Reply::bulk(item->value), Reply::integer(item->unique)});
}

Reply cas(const Scene& scene, const Words& words) {
  const auto ttl_s = number<std::int64_t>(words[3].bytes());
  const auto unique = number<std::uint64_t>(words[4].bytes());
  if (!ttl_s || !unique) return Reply::error(malformed);
  const Item* const item = scene.find(words[1].bytes());
  if (!item) return Reply::status("NOT_FOUND");
  if (static_cast<std::uint64_t>(item->unique) != *unique) return Reply::status("EXISTS");
  return store(scene, words[1].bytes(), words[2], *ttl_s);
}

Reply delete_(const Scene& scene, const Words& words) {
  const std::string& key = words[1].bytes();
  if (!scene.find(key)) return Reply::status("NOT_FOUND");
  scene.items.erase(key);
  deleted(scene.effects, key);
  return Reply::status("DELETED");
}

/// When a number becomes shorter, the real server may leave blanks behind it, depending on the timing of another of its
/// threads. The model leaves none.
Reply incr(const Scene& scene, const Words& words) {
  const auto by = number<std::uint64_t>(words[2].bytes());
  if (!by) return Reply::error("CLIENT_ERROR invalid numeric delta argument");
  Item* const item = scene.find(words[1].bytes());
  if (!item) return Reply::status("NOT_FOUND");
  const auto old = counter(item->value.bytes());
  if (!old) return Reply::error("CLIENT_ERROR cannot increment or decrement non-numeric value");
  const std::string digits = std::to_string(*old + *by);
  scene.items.rewrite(*item, digits);
  changed(scene.effects, words[1].bytes());
  return Reply::status(digits);
}

Reply touch(const Scene& scene, const Words& words) {
  const auto ttl_s = number<std::int64_t>(words[2].bytes());
  if (!ttl_s) return Reply::error("CLIENT_ERROR invalid exptime argument");
  Item* const item = scene.find(words[1].bytes());
  if (!item) return Reply::status("NOT_FOUND");
  item->ends_at = end_of(scene, *ttl_s);
  if (is_over(scene, item->ends_at)) {
    deleted(scene.effects, words[1].bytes());
  } else {
    lives(scene.effects, words[1].bytes(), left_until(scene, item->ends_at));
  }
  return Reply::status("TOUCHED");
}

Reply flush_all(const Scene& scene, const Words&) {
  for (const auto& [key, item] : scene.items.all()) {
    if (!item.expired(scene.tick())) lost(scene.effects, key, "flushed");
  }
  scene.items.clear();
  return Reply::status("OK");
}

struct Verb {
  std::string_view name;
  std::size_t words;
  Reply (*run)(const Scene&, const Words&);
};
constexpr Verb table[] = {{"add", 4, add},   {"cas", 5, cas},   {"delete", 2, delete_}, {"flush_all", 1, flush_all},
                          {"gets", 2, gets}, {"incr", 3, incr}, {"set", 4, set},        {"touch", 3, touch}};

bool is_key(std::string_view key) {
  return !key.empty() && key.size() <= longest_key &&
         std::ranges::none_of(key, [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7f'; });
}

}  // namespace

Item* Scene::find(const std::string& key) const {
  Item* const item = items.find(key);
  if (!item || !item->expired(tick())) return item;
  items.erase(key);
  expired(effects, key);
  return nullptr;
}

std::string describe_lack(const Command& command) {
  std::array<RequestRule, std::size(table)> known{};
  std::ranges::transform(table, known.begin(), [](const Verb& one) {
    return RequestRule{one.name, one.words, one.words};
  });
  return sim::describe_lack(known, "memcached", command);
}

Reply run(const Scene& scene, const Command& command) {
  const Words& words = command.args();
  const auto verb = std::ranges::find(table, command.verb(), &Verb::name);
  if (verb == std::end(table) || words.size() != verb->words) return Reply::error("ERROR");
  if (words.size() > 1 && !is_key(words[1].bytes())) return Reply::error(malformed);
  return verb->run(scene, words);
}

}  // namespace lockproof::sim::memcached
