// SPDX-License-Identifier: Apache-2.0
#include "real/services/memcached/command_effects.hpp"

#include <string>

#include "real/services/memcached/number_in.hpp"

namespace lockproof::real {
namespace {

using harness::Change;

std::int64_t seconds_in(const Value& word) { return number_in<std::int64_t>(word.bytes()).value_or(0); }

}  // namespace

milliseconds TickCount::left(seconds ttl, Duration at) const {
  const Duration last_tick = std::chrono::floor<seconds>(at - from) + from;
  return std::chrono::ceil<milliseconds>(last_tick + ttl - at) - milliseconds(1);
}

std::vector<harness::Effect> effects_of(const Command& command, const Outcome& outcome, Duration at,
                                        const TickCount& ticks) {
  std::vector<harness::Effect> effects;
  const auto& words = command.args();
  if (words.size() < 2) return effects;
  const std::string& key = words[1].bytes();
  const auto add = [&](Change change, const char* word, std::optional<milliseconds> ttl = {}) {
    effects.push_back({change, word, key, ttl});
  };
  const auto lives = [&](std::int64_t ttl_s) {
    std::optional<milliseconds> left;
    if (ttl_s > 0) left = ticks.left(seconds(ttl_s), at);
    add(Change::renewed, "exptime", left);
  };
  const std::string_view verb = command.verb();
  if (outcome.expired) add(Change::expired, "expired");
  if (outcome.stored && words.size() > 3) {
    const std::int64_t ttl_s = seconds_in(words[3]);
    if (ttl_s >= 0) add(Change::acquired, "stored");
    if (ttl_s > 0) lives(ttl_s);
    if (ttl_s < 0 && outcome.found) add(Change::released, "deleted");
  }
  if (verb == "delete" && outcome.found) add(Change::released, "deleted");
  if (verb == "incr" && outcome.found) add(Change::changed, "incr");
  if (verb == "touch" && outcome.found && words.size() > 2) {
    const std::int64_t ttl_s = seconds_in(words[2]);
    ttl_s < 0 ? add(Change::released, "deleted") : lives(ttl_s);
  }
  return effects;
}

}  // namespace lockproof::real
