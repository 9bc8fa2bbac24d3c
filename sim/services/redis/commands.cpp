// SPDX-License-Identifier: Apache-2.0
// The table of commands, and the checks before one runs, as in Redis 7.0.15 (server.c, script.c).
#include "sim/services/redis/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "sim/services/redis/verbs.hpp"
#include "sim/services/redis/words.hpp"

namespace lockproof::sim::redis {
namespace {

constexpr std::array table{
    CommandRule{"CLIENT PAUSE", -3, false, false, verbs::client_pause},
    CommandRule{"CLIENT SETNAME", 3, false, false, verbs::client_setname},
    CommandRule{"CLIENT UNPAUSE", 2, false, false, verbs::client_unpause},
    CommandRule{"DBSIZE", 1, true, false, verbs::dbsize},
    CommandRule{"DECR", 2, true, true, verbs::decr},
    CommandRule{"DECRBY", 3, true, true, verbs::decrby},
    CommandRule{"DEL", -2, true, true, verbs::del},
    CommandRule{"DISCARD", 1, false, false, verbs::discard},
    CommandRule{"ECHO", 2, true, false, verbs::echo},
    CommandRule{"EVAL", -3, false, false, verbs::eval},
    CommandRule{"EVALSHA", -3, false, false, verbs::evalsha},
    CommandRule{"EXEC", 1, false, false, verbs::exec},
    CommandRule{"EXISTS", -2, true, false, verbs::exists},
    CommandRule{"EXPIRE", -3, true, true, verbs::expire},
    CommandRule{"EXPIREAT", -3, true, true, verbs::expireat},
    CommandRule{"EXPIRETIME", 2, true, false, verbs::expiretime},
    CommandRule{"FLUSHALL", -1, true, true, verbs::flush},
    CommandRule{"FLUSHDB", -1, true, true, verbs::flush},
    CommandRule{"GET", 2, true, false, verbs::get},
    CommandRule{"GETDEL", 2, true, true, verbs::getdel},
    CommandRule{"GETSET", 3, true, true, verbs::getset},
    CommandRule{"HDEL", -3, true, true, verbs::hdel},
    CommandRule{"HELLO", -1, false, false, verbs::hello},
    CommandRule{"HEXISTS", 3, true, false, verbs::hexists},
    CommandRule{"HGET", 3, true, false, verbs::hget},
    CommandRule{"HGETALL", 2, true, false, verbs::hgetall},
    CommandRule{"HINCRBY", 4, true, true, verbs::hincrby},
    CommandRule{"HLEN", 2, true, false, verbs::hlen},
    CommandRule{"HMSET", -4, true, true, verbs::hmset},
    CommandRule{"HSET", -4, true, true, verbs::hset},
    CommandRule{"HSETNX", 4, true, true, verbs::hsetnx},
    CommandRule{"INCR", 2, true, true, verbs::incr},
    CommandRule{"INCRBY", 3, true, true, verbs::incrby},
    CommandRule{"INFO", -1, true, false, verbs::info},
    CommandRule{"MGET", -2, true, false, verbs::mget},
    CommandRule{"MULTI", 1, false, false, verbs::multi},
    CommandRule{"PERSIST", 2, true, true, verbs::persist},
    CommandRule{"PEXPIRE", -3, true, true, verbs::pexpire},
    CommandRule{"PEXPIREAT", -3, true, true, verbs::pexpireat},
    CommandRule{"PEXPIRETIME", 2, true, false, verbs::pexpiretime},
    CommandRule{"PING", -1, true, false, verbs::ping},
    CommandRule{"PSETEX", 4, true, true, verbs::psetex},
    CommandRule{"PTTL", 2, true, false, verbs::pttl},
    CommandRule{"PUBLISH", 3, true, false, verbs::publish},
    CommandRule{"PUBSUB NUMSUB", -2, true, false, verbs::pubsub_numsub},
    CommandRule{"RESET", 1, false, false, verbs::reset},
    CommandRule{"SCRIPT EXISTS", -3, false, false, verbs::script_exists},
    CommandRule{"SCRIPT FLUSH", -2, false, false, verbs::script_flush},
    CommandRule{"SCRIPT LOAD", 3, false, false, verbs::script_load},
    CommandRule{"SELECT", 2, true, false, verbs::select},
    CommandRule{"SET", -3, true, true, verbs::set},
    CommandRule{"SETEX", 4, true, true, verbs::setex},
    CommandRule{"SETNX", 3, true, true, verbs::setnx},
    CommandRule{"STRLEN", 2, true, false, verbs::strlen},
    CommandRule{"SUBSCRIBE", -2, false, false, verbs::subscribe},
    CommandRule{"TIME", 1, true, false, verbs::time},
    CommandRule{"TTL", 2, true, false, verbs::ttl},
    CommandRule{"TYPE", 2, true, false, verbs::type},
    CommandRule{"UNLINK", -2, true, true, verbs::del},
    CommandRule{"UNSUBSCRIBE", -1, false, false, verbs::unsubscribe},
    CommandRule{"UNWATCH", 1, false, false, verbs::unwatch},
    CommandRule{"WAIT", 3, false, false, verbs::wait},
    CommandRule{"WATCH", -2, false, false, verbs::watch},
};
static_assert(std::ranges::is_sorted(table, {}, &CommandRule::verb));

/// A command that needs a subcommand: without one it has too few words.
struct Container {
  CommandRule rule;
  std::string_view others;  // subcommands that a Redis has besides those of the table
};
constexpr std::array containers{
    Container{{"CLIENT", -2, false, false, nullptr},
              "CACHING GETNAME GETREDIR HELP ID INFO KILL LIST NO-EVICT REPLY TRACKING TRACKINGINFO UNBLOCK"},
    Container{{"PUBSUB", -2, true, false, nullptr}, "CHANNELS HELP NUMPAT SHARDCHANNELS SHARDNUMSUB"},
    Container{{"SCRIPT", -2, false, false, nullptr}, "DEBUG HELP KILL"}};

const Container* container(const Words& words) {
  const auto found =
      std::ranges::find_if(containers, [&](const Container& one) { return is_word(words[0], one.rule.verb); });
  return found == containers.end() ? nullptr : &*found;
}

/// What the simulated server does not have, and a Redis has; empty: nothing. REQUIRES: the table has no such command.
std::string lack(const Words& words) {
  const Container* const outer = container(words);
  if (!outer) return words.front().bytes();
  const std::string name = upper(words[1].bytes());
  for (std::size_t begin = 0; begin < outer->others.size();) {
    const std::size_t end = std::min(outer->others.find(' ', begin), outer->others.size());
    if (outer->others.substr(begin, end - begin) == name) return fmt::format("{} {}", outer->rule.verb, name);
    begin = end + 1;
  }
  return {};
}

const CommandRule* look_up(const Words& words) {
  const Container* const outer = container(words);
  if (outer && words.size() == 1) return &outer->rule;
  const std::string verb =
      outer ? fmt::format("{} {}", outer->rule.verb, upper(words[1].bytes())) : upper(words[0].bytes());
  const auto found = std::ranges::lower_bound(table, verb, {}, &CommandRule::verb);
  return found != table.end() && found->verb == verb ? found : nullptr;
}

bool wrong_arity(const CommandRule& rule, const Words& words) {
  const int count = static_cast<int>(words.size());
  return rule.arity > 0 ? count != rule.arity : count < -rule.arity;
}

std::string full_name(const CommandRule& rule) {
  std::string name = lower(rule.verb);
  std::ranges::replace(name, ' ', '|');
  return name;
}

std::string unknown(const Words& words) {
  const auto text = [](const Value& word, std::size_t most) {
    return std::string(word.bytes().c_str()).substr(0, most);
  };
  if (const Container* const outer = container(words)) {
    return fmt::format("unknown subcommand '{}'. Try {} HELP.", text(words[1], 128), outer->rule.verb);
  }
  std::string shown;
  for (std::size_t i = 1; i < words.size() && shown.size() < 128; ++i) {
    shown += fmt::format("'{}' ", text(words[i], 128 - shown.size()));
  }
  return fmt::format("unknown command '{}', with args beginning with: {}", text(words[0], 128), shown);
}

/// The command is refused before it could run: its transaction fails.
Reply rejected(Scene& scene, const CommandRule* rule, const std::string& text, const char* code = "ERR ") {
  if (rule && rule->run == verbs::exec) {
    scene.node.sessions.discard(scene.connection);
    const bool own_code = std::string_view(code) != "ERR ";
    return Reply::error(
        one_line(fmt::format("EXECABORT Transaction discarded because of: {}{}", own_code ? code : "", text)));
  }
  if (scene.session().multi) scene.session().dirty_exec = true;
  return Reply::error(one_line(code + text));
}

bool allowed_when_subscribed(const CommandRule& rule) {
  return rule.run == verbs::ping || rule.run == verbs::subscribe || rule.run == verbs::unsubscribe ||
         rule.run == verbs::reset;
}

bool runs_inside_multi(const CommandRule& rule) {
  return rule.run == verbs::exec || rule.run == verbs::discard || rule.run == verbs::multi ||
         rule.run == verbs::watch || rule.run == verbs::reset;
}

bool writes(const CommandRule& rule) { return rule.writes; }

/// Commands that may have to be propagated to replicas.
bool may_replicate(const CommandRule& rule) {
  return rule.writes || rule.run == verbs::publish || rule.run == verbs::eval || rule.run == verbs::evalsha;
}

/// For EXEC: whether any queued command is one of these.
bool does(Scene& scene, const CommandRule& rule, bool (*what)(const CommandRule&)) {
  if (rule.run != verbs::exec) return what(rule);
  return std::ranges::any_of(scene.session().queued, [&](const Words& words) { return what(*look_up(words)); });
}

bool lacks_replicas(const Scene& scene) {
  return !scene.node.replica && scene.node.waits.good_followers() < scene.node.min_replicas;
}

bool postponed(Scene& scene, const CommandRule& rule) {
  return scene.paused() && (scene.node.pause->all || does(scene, rule, may_replicate));
}

/// What a script makes of the numbers is text, which a later time does not change.
Reply time_of_script(Scene& scene) {
  scene.out.reads_instant = true;
  return Reply::array(
      {Reply::bulk(Value::number(scene.now_ms / 1000)), Reply::bulk(Value::number(scene.now_ms % 1000 * 1000))});
}

/// Runs the command, and records what replicas must run.
Reply call(Scene& scene, const CommandRule& rule, const Words& words) {
  const bool outer_dirty = std::exchange(scene.dirty, false);
  auto outer_words = std::exchange(scene.rewritten, std::nullopt);
  Reply reply = rule.run(scene, words);
  if (scene.dirty) scene.out.propagated.push_back(Command(scene.rewritten ? *std::move(scene.rewritten) : words));
  scene.dirty = outer_dirty;
  scene.rewritten = std::move(outer_words);
  return reply;
}

}  // namespace

std::span<const CommandRule> command_table() { return table; }

Reply execute(Scene& scene, const Words& words) {
  const CommandRule* rule = look_up(words);
  if (const std::string lacks = rule ? "" : lack(words); !lacks.empty()) {
    scene.out.lacks = fmt::format("sends {}, which the simulated server does not have", lacks);
  }
  if (!rule) return rejected(scene, rule, unknown(words));
  if (wrong_arity(*rule, words)) {
    return rejected(scene, rule, fmt::format("wrong number of arguments for '{}' command", full_name(*rule)));
  }
  if (lacks_replicas(scene) && does(scene, *rule, writes)) return rejected(scene, rule, no_replicas, "");
  if (scene.node.replica && does(scene, *rule, writes)) return rejected(scene, rule, read_only, "");
  if (scene.session().hears_only() && !allowed_when_subscribed(*rule)) {
    return rejected(scene, rule,
                    fmt::format("Can't execute '{}': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are "
                                "allowed in this context",
                                full_name(*rule)));
  }
  if (postponed(scene, *rule)) {
    scene.out.postponed = true;
    return Reply::nil();
  }
  Session& session = scene.session();
  if (session.multi && !runs_inside_multi(*rule)) {
    if (!session.dirty_cas && !session.dirty_exec) session.queued.push_back(words);
    return Reply::status("QUEUED");
  }
  return call(scene, *rule, words);
}

Reply execute_queued(Scene& scene, const Words& words) { return call(scene, *look_up(words), words); }

Reply execute_from_master(Scene& scene, const Words& words) { return call(scene, *look_up(words), words); }

Reply execute_from_script(Scene& scene, const Words& words) {
  const CommandRule* rule = look_up(words);
  if (!rule) {
    scene.out.lacks =
        fmt::format("calls {} in a script, which the simulated server does not have", words.front().bytes());
    return Reply::error("ERR Unknown Redis command called from script");
  }
  if (wrong_arity(*rule, words)) return Reply::error("ERR Wrong number of args calling Redis command from script");
  if (!rule->in_scripts) return Reply::error("ERR This Redis command is not allowed from script");
  if (scene.node.replica && rule->writes && !scene.from_master) return Reply::error(read_only);
  if (lacks_replicas(scene) && rule->writes) return Reply::error(no_replicas);
  if (rule->run == verbs::time) return time_of_script(scene);
  return call(scene, *rule, words);
}

}  // namespace lockproof::sim::redis
