// SPDX-License-Identifier: Apache-2.0
#include "conformance/redis/mutant_parts.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace lockproof::conformance::redis {
namespace {

/// Silently deletes the keys that are at their stamp, or past it.
void evict_due(Node& node, std::int64_t now_ms, bool at_stamp) {
  std::vector<std::string> due;
  for (const auto& [key, one] : node.keys().entries()) {
    if (at_stamp ? one.expires_ms == now_ms : one.expired(now_ms)) due.push_back(key);
  }
  for (const std::string& key : due) (void)node.evict(key, now_ms);
}

NodeAnswer expiry_at_the_stamp(Node& node, const IncomingCommand& asked) {
  evict_due(node, asked.now_ms, true);
  return plain(node, asked);
}

NodeAnswer expire_adds(Node& node, const IncomingCommand& asked) {
  Words words = asked.command.args();
  const auto* old = entry(node, asked);
  const std::int64_t amount = words.size() == 3 ? sim::redis::integer(words[2]).value_or(0) : 0;
  const bool small = amount > 0 && amount < 1'000'000;
  if (verb(asked, "PEXPIRE") && small && old && old->expires_ms && *old->expires_ms < asked.now_ms + 1'000'000) {
    words[2] = Value::number(amount + std::max<std::int64_t>(0, *old->expires_ms - asked.now_ms));
  }
  return with(node, asked, std::move(words));
}

NodeAnswer expire_zero_keeps(Node& node, const IncomingCommand& asked) {
  Words words = asked.command.args();
  const bool expires = verb(asked, "EXPIRE") || verb(asked, "PEXPIRE");
  if (expires && words.size() == 3 && (words[2] == Value("0") || words[2] == Value("-1"))) words[2] = "1";
  return with(node, asked, std::move(words));
}

NodeAnswer set_keeps_expiry(Node& node, const IncomingCommand& asked) {
  Words words = asked.command.args();
  if (verb(asked, "SET") && words.size() == 3) words.emplace_back("KEEPTTL");
  return with(node, asked, std::move(words));
}

NodeAnswer setnx_overwrites(Node& node, const IncomingCommand& asked) {
  const Words& words = asked.command.args();
  if (!verb(asked, "SETNX") || words.size() != 3 || in_multi(node, asked)) return plain(node, asked);
  NodeAnswer executed = with(node, asked, {"SET", words[1], words[2]});
  if (!executed.reply.is_error()) executed.reply = Reply::integer(1);
  return executed;
}

NodeAnswer getset_keeps_expiry(Node& node, const IncomingCommand& asked) {
  const Words& words = asked.command.args();
  if (!verb(asked, "GETSET") || words.size() != 3) return plain(node, asked);
  return with(node, asked, {"SET", words[1], words[2], "KEEPTTL", "GET"});
}

NodeAnswer instead_of(Node& node, const IncomingCommand& asked, std::string_view name, const char* other) {
  Words words = asked.command.args();
  if (verb(asked, name)) words[0] = other;
  return with(node, asked, std::move(words));
}

/// Answers with success and does nothing.
NodeAnswer only_says(Node& node, const IncomingCommand& asked, std::string_view name, const char* answer) {
  if (!verb(asked, name) || in_multi(node, asked) || node.state().sessions.subscribed(asked.connection)) {
    return plain(node, asked);
  }
  NodeAnswer executed{Reply::status(answer)};
  return executed;
}

NodeAnswer incr_drops_expiry(Node& node, const IncomingCommand& asked) {
  NodeAnswer executed = plain(node, asked);
  if (verb(asked, "INCR") && executed.reply.kind() == Reply::Kind::integer) {
    (void)with(node, asked, {"PERSIST", asked.command.args()[1]});
  }
  return executed;
}

NodeAnswer exec_misses_expiry(Node& node, const IncomingCommand& asked) {
  return node.execute({asked.connection, asked.command, {asked.now_ms - (verb(asked, "EXEC") ? 1 : 0)}});
}

NodeAnswer script_flush_keeps(Node& node, const IncomingCommand& asked) {
  const Words& words = asked.command.args();
  const bool flushes = verb(asked, "SCRIPT") && words.size() == 2 && is_word(words[1], "FLUSH");
  return flushes ? with(node, asked, {"SCRIPT", "EXISTS", "x"}) : plain(node, asked);
}

NodeAnswer script_errors_without_place(Node& node, const IncomingCommand& asked) {
  NodeAnswer executed = plain(node, asked);
  const std::string& text = executed.reply.value().bytes();
  const std::size_t place = text.find(" script: ");
  if (executed.reply.is_error() && place != std::string::npos) executed.reply = Reply::error(text.substr(0, place));
  return executed;
}

NodeAnswer unsubscribe_stays(Node& node, const IncomingCommand& asked) {
  NodeAnswer executed = plain(node, asked);
  if (verb(asked, "UNSUBSCRIBE") && asked.command.args().size() == 2 && !executed.reply.is_error()) {
    (void)with(node, asked, {"SUBSCRIBE", asked.command.args()[1]});
  }
  return executed;
}

NodeAnswer publish_unheard(Node& node, const IncomingCommand& asked) {
  NodeAnswer executed = plain(node, asked);
  if (verb(asked, "PUBLISH")) executed.pushes.clear();
  return executed;
}

NodeAnswer expiry_untold(Node& node, const IncomingCommand& asked) {
  NodeAnswer executed = plain(node, asked);
  std::erase_if(executed.effects, [](const auto& effect) { return effect.event == "expired"; });
  return executed;
}

NodeAnswer replicas_get_relative_times(Node& node, const IncomingCommand& asked) {
  NodeAnswer executed = plain(node, asked);
  const bool timed = verb(asked, "SETEX") || verb(asked, "EXPIRE") || verb(asked, "PEXPIRE");
  if (timed && !executed.propagated.empty()) executed.propagated.back() = asked.command;
  return executed;
}

NodeAnswer replicas_miss_expiry(Node& node, const IncomingCommand& asked) {
  NodeAnswer executed = plain(node, asked);
  const bool expired = std::ranges::any_of(executed.effects, [](const auto& e) { return e.event == "expired"; });
  if (expired) executed.propagated.erase(executed.propagated.begin());
  return executed;
}

NodeAnswer failed_writes_reach_replicas(Node& node, const IncomingCommand& asked) {
  NodeAnswer executed = plain(node, asked);
  if (verb(asked, "SETNX") && executed.propagated.empty()) executed.propagated.push_back(asked.command);
  return executed;
}

constexpr std::array node_mutants{
    Mutant{"expiry-at-stamp", "a key is still there at its stamp", expiry_at_the_stamp},
    Mutant{"expire-adds", "EXPIRE replaces what was left", expire_adds},
    Mutant{"expire-zero-keeps", "a time of 0 or less deletes at once", expire_zero_keeps},
    Mutant{"expire-nx", "EXPIRE NX", [](Node& n, const IncomingCommand& a) { return without(n, a, "NX"); }},
    Mutant{"expire-xx", "EXPIRE XX, SET XX", [](Node& n, const IncomingCommand& a) { return without(n, a, "XX"); }},
    Mutant{"expire-gt", "EXPIRE GT", [](Node& n, const IncomingCommand& a) { return without(n, a, "GT"); }},
    Mutant{"expire-lt", "EXPIRE LT", [](Node& n, const IncomingCommand& a) { return without(n, a, "LT"); }},
    Mutant{"expireat-relative", "EXPIREAT is absolute",
           [](Node& n, const IncomingCommand& a) { return instead_of(n, a, "EXPIREAT", "EXPIRE"); }},
    Mutant{"expiretime-relative", "EXPIRETIME is absolute",
           [](Node& n, const IncomingCommand& a) { return instead_of(n, a, "EXPIRETIME", "TTL"); }},
    Mutant{"persist-does-nothing", "PERSIST removes an expiry",
           [](Node& n, const IncomingCommand& a) { return instead_of(n, a, "PERSIST", "PERSISTED"); }},
    Mutant{"ttl-in-milliseconds", "TTL is in seconds, rounded",
           [](Node& n, const IncomingCommand& a) { return instead_of(n, a, "TTL", "PTTL"); }},
    Mutant{"pttl-of-nothing", "PTTL answers -2 for no key",
           [](Node& n, const IncomingCommand& a) {
             return answering(n, a, "PTTL", [](const IncomingCommand&, Reply r) {
               return r.is_integer(-2) ? Reply::integer(-1) : r;
             });
           }},
    Mutant{"set-keeps-expiry", "SET clears an expiry", set_keeps_expiry},
    Mutant{"set-ignores-keepttl", "SET KEEPTTL",
           [](Node& n, const IncomingCommand& a) { return without(n, a, "KEEPTTL"); }},
    Mutant{"set-get-silent", "SET GET answers what was there",
           [](Node& n, const IncomingCommand& a) { return without(n, a, "GET"); }},
    Mutant{"set-takes-zero", "a time to live must be positive",
           [](Node& n, const IncomingCommand& a) { return excusing(n, a, "invalid expire time", Reply::status(ok)); }},
    Mutant{"setnx-overwrites", "SETNX sets only what is not there", setnx_overwrites},
    Mutant{"getset-keeps-expiry", "GETSET clears an expiry", getset_keeps_expiry},
    Mutant{"getdel-keeps", "GETDEL deletes",
           [](Node& n, const IncomingCommand& a) { return instead_of(n, a, "GETDEL", "GET"); }},
    Mutant{"del-counts-all", "DEL counts what it deleted",
           [](Node& n, const IncomingCommand& a) {
             return answering(n, a, "DEL", [](const IncomingCommand& asked, Reply) {
               return Reply::integer(static_cast<std::int64_t>(asked.command.args().size()) - 1);
             });
           }},
    Mutant{"exists-is-a-flag", "EXISTS counts a key as often as it is named",
           [](Node& n, const IncomingCommand& a) {
             return answering(n, a, "EXISTS", [](const IncomingCommand&, Reply r) {
               return Reply::integer(std::min<std::int64_t>(1, r.integer()));
             });
           }},
    Mutant{"type-always-string", "TYPE tells strings and hashes apart",
           [](Node& n, const IncomingCommand& a) {
             return answering(n, a, "TYPE", [](const IncomingCommand&, Reply) { return Reply::status("string"); });
           }},
    Mutant{"wrong-type-unnoticed", "WRONGTYPE",
           [](Node& n, const IncomingCommand& a) { return excusing(n, a, "WRONGTYPE", Reply::nil()); }},
    Mutant{"numbers-lenient", "numbers in one form only",
           [](Node& n, const IncomingCommand& a) {
             return excusing(n, a, "not an integer or out of range", Reply::integer(0));
           }},
    Mutant{
        "incr-wraps", "INCR does not overflow",
        [](Node& n, const IncomingCommand& a) { return excusing(n, a, "would overflow", Reply::integer(INT64_MIN)); }},
    Mutant{"incr-drops-expiry", "INCR keeps an expiry", incr_drops_expiry},
    Mutant{"decr-adds", "DECR subtracts",
           [](Node& n, const IncomingCommand& a) { return instead_of(n, a, "DECR", "INCR"); }},
    Mutant{"strlen-off", "STRLEN",
           [](Node& n, const IncomingCommand& a) { return answering(n, a, "STRLEN", plus_one); }},
    Mutant{"hincrby-off", "HINCRBY",
           [](Node& n, const IncomingCommand& a) { return answering(n, a, "HINCRBY", plus_one); }},
    Mutant{"hset-counts-all", "HSET counts new fields",
           [](Node& n, const IncomingCommand& a) {
             return answering(n, a, "HSET", [](const IncomingCommand& asked, Reply) {
               return Reply::integer(static_cast<std::int64_t>(asked.command.args().size()) / 2 - 1);
             });
           }},
    Mutant{"hdel-counts-all", "HDEL counts what it deleted",
           [](Node& n, const IncomingCommand& a) {
             return answering(n, a, "HDEL", [](const IncomingCommand& asked, Reply) {
               return Reply::integer(static_cast<std::int64_t>(asked.command.args().size()) - 2);
             });
           }},
    Mutant{"hsetnx-overwrites", "HSETNX sets only what is not there",
           [](Node& n, const IncomingCommand& a) { return instead_of(n, a, "HSETNX", "HSET"); }},
    Mutant{"hgetall-reversed", "HGETALL keeps the order of the fields",
           [](Node& n, const IncomingCommand& a) {
             return answering(n, a, "HGETALL", [](const IncomingCommand&, Reply r) {
               std::vector<Reply> items(r.items().rbegin(), r.items().rend());
               return Reply::array(std::move(items));
             });
           }},
    Mutant{"hlen-off", "HLEN", [](Node& n, const IncomingCommand& a) { return answering(n, a, "HLEN", plus_one); }},
    Mutant{"hexists-always", "HEXISTS",
           [](Node& n, const IncomingCommand& a) {
             return answering(n, a, "HEXISTS", [](const IncomingCommand&, Reply) { return Reply::integer(1); });
           }},
    Mutant{"dbsize-off", "DBSIZE counts expired keys that no command has accessed",
           [](Node& n, const IncomingCommand& a) {
             if (verb(a, "DBSIZE")) evict_due(n, a.now_ms, false);
             return plain(n, a);
           }},
    Mutant{"flush-keeps", "FLUSHALL deletes all keys",
           [](Node& n, const IncomingCommand& a) { return only_says(n, a, "FLUSHALL", ok); }},
    Mutant{"select-any", "there is one database",
           [](Node& n, const IncomingCommand& a) { return excusing(n, a, "DB index", Reply::status(ok)); }},
    Mutant{"arity-unchecked", "numbers of words are checked",
           [](Node& n, const IncomingCommand& a) { return excusing(n, a, "wrong number of arguments", Reply::nil()); }},
    Mutant{"unknown-commands-run", "unknown commands are refused",
           [](Node& n, const IncomingCommand& a) { return excusing(n, a, "unknown command", Reply::status(ok)); }},
    Mutant{"watch-ignored", "WATCH", [](Node& n, const IncomingCommand& a) { return only_says(n, a, "WATCH", ok); }},
    Mutant{"unwatch-ignored", "UNWATCH",
           [](Node& n, const IncomingCommand& a) { return only_says(n, a, "UNWATCH", ok); }},
    Mutant{"exec-misses-expiry", "EXEC sees that a watched key has expired", exec_misses_expiry},
    Mutant{"exec-after-errors", "EXEC refuses after an error in queueing",
           [](Node& n, const IncomingCommand& a) { return excusing(n, a, "EXECABORT", Reply::array({})); }},
    Mutant{"multi-nests", "MULTI does not nest",
           [](Node& n, const IncomingCommand& a) { return excusing(n, a, "nested", Reply::status(ok)); }},
    Mutant{"discard-runs", "DISCARD drops what was queued",
           [](Node& n, const IncomingCommand& a) { return instead_of(n, a, "DISCARD", "EXEC"); }},
    Mutant{"reset-keeps", "RESET ends a transaction",
           [](Node& n, const IncomingCommand& a) {
             return verb(a, "RESET") && a.command.args().size() == 1 ? NodeAnswer{Reply::status("RESET")} : plain(n, a);
           }},
    Mutant{"hello-any-version", "HELLO refuses a version that there is not",
           [](Node& n, const IncomingCommand& a) { return excusing(n, a, "NOPROTO", Reply::status(ok)); }},
    Mutant{"noscript-missing", "EVALSHA of an unknown script",
           [](Node& n, const IncomingCommand& a) { return excusing(n, a, "NOSCRIPT", Reply::nil()); }},
    Mutant{"script-flush-keeps", "SCRIPT FLUSH", script_flush_keeps},
    Mutant{"script-errors-without-place", "a script's error names the script and its line",
           script_errors_without_place},
    Mutant{"script-nil-is-empty", "nil from a script",
           [](Node& n, const IncomingCommand& a) {
             return answering(n, a, "EVAL",
                              [](const IncomingCommand&, Reply r) { return r.is_nil() ? Reply::array({}) : r; });
           }},
    Mutant{"publish-counts-nobody", "PUBLISH counts who heard it",
           [](Node& n, const IncomingCommand& a) {
             return answering(n, a, "PUBLISH", [](const IncomingCommand&, Reply) { return Reply::integer(0); });
           }},
    Mutant{"publish-unheard", "subscribers get messages", publish_unheard},
    Mutant{"unsubscribe-stays", "UNSUBSCRIBE", unsubscribe_stays},
    Mutant{"subscribed-runs-all", "what a subscriber may not ask",
           [](Node& n, const IncomingCommand& a) { return excusing(n, a, "Can't execute", Reply::nil()); }},
    Mutant{"expiry-untold", "an expired key is an event", expiry_untold},
    Mutant{"replicas-get-relative-times", "replicas get absolute times", replicas_get_relative_times},
    Mutant{"replicas-miss-expiry", "replicas are told of expired keys", replicas_miss_expiry},
    Mutant{"failed-writes-reach-replicas", "replicas get only what changed something", failed_writes_reach_replicas},
};

}  // namespace

std::span<const Mutant> mutants() {
  static const std::vector<Mutant> all = [] {
    std::vector<Mutant> list(node_mutants.begin(), node_mutants.end());
    list.insert(list.end(), wait_mutants().begin(), wait_mutants().end());
    list.insert(list.end(), nodes_mutants().begin(), nodes_mutants().end());
    return list;
  }();
  return all;
}

}  // namespace lockproof::conformance::redis
