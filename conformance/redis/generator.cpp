// SPDX-License-Identifier: Apache-2.0
#include "conformance/redis/generator.hpp"

#include <algorithm>
#include <iterator>

#include "conformance/redis/scripts.hpp"
#include "harness/sha1.hpp"
#include "sim/services/redis/words.hpp"

namespace lockproof::conformance::redis {
namespace {

/// How a command is drawn. In a pattern: k key, K one to three keys, v value, n number, f field, F one to three fields,
/// p pairs of field and value, t time to live, a absolute time in seconds, A in milliseconds, s SET's options,
/// o EXPIRE's options, c channel, C channels, S a script and its arguments, H a script's name and its arguments,
/// T a script's text, h names of scripts, y SYNC or ASYNC or neither, i index of a database, I sections of INFO,
/// z a version of the protocol and HELLO's options, w a time and a mode of CLIENT PAUSE, W a number of replicas and a
/// time.
struct Form {
  const char* verb;
  const char* pattern;
  std::uint64_t weight;
};
constexpr Form forms[] = {
    {"CLIENT PAUSE", "w", 2}, {"CLIENT SETNAME", "v", 1}, {"CLIENT UNPAUSE", "", 1}, {"DBSIZE", "", 1},
    {"DECR", "k", 2},         {"DECRBY", "kn", 2},        {"DEL", "K", 5},           {"DISCARD", "", 1},
    {"ECHO", "v", 1},         {"EVAL", "S", 12},          {"EVALSHA", "H", 5},       {"EXEC", "", 1},
    {"EXISTS", "K", 3},       {"EXPIRE", "kto", 7},       {"EXPIREAT", "kao", 4},    {"EXPIRETIME", "k", 2},
    {"FLUSHALL", "y", 1},     {"FLUSHDB", "y", 1},        {"GET", "k", 6},           {"GETDEL", "k", 2},
    {"GETSET", "kv", 4},      {"HDEL", "kF", 4},          {"HELLO", "", 1},          {"HELLO", "z", 2},
    {"HEXISTS", "kf", 2},     {"HGET", "kf", 3},          {"HGETALL", "k", 3},       {"HINCRBY", "kfn", 5},
    {"HLEN", "k", 2},         {"HMSET", "kp", 2},         {"HSET", "kp", 6},         {"HSETNX", "kfv", 2},
    {"INCR", "k", 3},         {"INCRBY", "kn", 3},        {"INFO", "", 1},           {"INFO", "I", 1},
    {"MGET", "K", 2},         {"MULTI", "", 6},           {"PERSIST", "k", 3},       {"PEXPIRE", "kto", 9},
    {"PEXPIREAT", "kAo", 5},  {"PEXPIRETIME", "k", 2},    {"PING", "", 1},           {"PING", "v", 1},
    {"PSETEX", "ktv", 4},     {"PTTL", "k", 5},           {"PUBLISH", "cv", 4},      {"PUBSUB NUMSUB", "C", 2},
    {"RESET", "", 1},         {"SCRIPT EXISTS", "h", 1},  {"SCRIPT FLUSH", "y", 1},  {"SCRIPT LOAD", "T", 2},
    {"SELECT", "i", 1},       {"SET", "kvs", 18},         {"SETEX", "ktv", 4},       {"SETNX", "kv", 4},
    {"STRLEN", "k", 1},       {"SUBSCRIBE", "C", 3},      {"TIME", "", 1},           {"TTL", "k", 3},
    {"TYPE", "k", 2},         {"UNLINK", "K", 2},         {"UNSUBSCRIBE", "C", 1},   {"UNSUBSCRIBE", "", 1},
    {"UNWATCH", "", 1},       {"WAIT", "W", 3},           {"WATCH", "K", 5},
};

constexpr const char* keys[] = {"a", "b", "c", "d"};
constexpr const char* fields[] = {"f", "g", "h"};
constexpr const char* channels[] = {"x", "y"};
constexpr const char* values[] = {"x",
                                  "y",
                                  "1",
                                  "-1",
                                  "10",
                                  "0",
                                  "",
                                  "007",
                                  "1.5",
                                  "two words",
                                  "\r\nq",
                                  "+3",
                                  "9223372036854775807",
                                  "-9223372036854775808"};
constexpr const char* numbers[] = {
    "1", "-1", "2", "0", "10", "9223372036854775807", "-9223372036854775808", "05", "x", "1.5", "9223372036854775808"};
constexpr const char* lives[] = {"1",    "2",   "5",    "10",   "20",   "50",   "100",
                                 "1000", "100", "1000", "1500", "2500", "1499", "30000"};
constexpr const char* odd_times[] = {"0",
                                     "-1",
                                     "-5",
                                     "9223372036854775807",
                                     "-9223372036854775808",
                                     "9223372036854775",
                                     "9223372036854776",
                                     "9223370336854775807",
                                     "9223370336854775808",
                                     "9223370336854775",
                                     "abc",
                                     "1.5",
                                     "",
                                     "007",
                                     "+1",
                                     "9223372036854775808"};
constexpr const char* set_options[] = {"NX", "XX", "GET", "KEEPTTL", "EX", "PX", "EXAT", "PXAT", "nx", "zz"};
constexpr const char* expire_options[] = {"NX", "XX", "GT", "LT", "gt", "zz"};
constexpr const char* unknown_verbs[] = {"NOSUCH", "SETT", "LOCK", "", "a\r\nb"};
constexpr const char* waits[] = {"1", "5", "20", "100"};
constexpr const char* odd_waits[] = {"-1", "-9223372036854775808", "x", "1.5", "", "9223372036854775808"};
constexpr const char* replicas[] = {"1", "2", "1", "2", "0", "-1", "9223372036854775807", "x", "9223372036854775808"};
constexpr const char* pauses[] = {"WRITE", "WRITE", "write", "all", "zz"};
constexpr const char* sections[] = {"server",  "persistence", "REPLICATION", "cluster", "all",
                                    "default", "everything",  "Replication", "nosuch"};
constexpr const char* protocols[] = {"2", "2", "2", "4", "1", "x", ""};
constexpr const char* users[] = {"default", "default", "nobody"};
constexpr const char* hello_options[] = {"AUTH", "auth", "SETNAME", "zz"};
constexpr const char* databases[] = {"0", "0", "1", "-1", "x", "3000000000"};

std::uint64_t total_weight() {
  std::uint64_t sum = 0;
  for (const Form& form : forms) sum += form.weight;
  return sum;
}

}  // namespace

Generator::Run Generator::next_run() { return {static_cast<int>(random_.below(connections)), 1 + random_.below(16)}; }

std::vector<Step> Generator::between(const ModelSide& model) {
  if (chance(2)) {
    return {{.kind = Step::Kind::reconnect, .connection = static_cast<int>(random_.below(connections))}};
  }
  if (chance(model.state().min_replicas > 1 ? 40 : 1)) {  // there is one replica
    return {{.kind = Step::Kind::min_replicas, .min_replicas = chance(30) ? 2 : static_cast<int>(random_.below(2))}};
  }
  if (chance(40)) return {};
  const std::int64_t now = model.now_us() / 1000;
  std::vector<std::int64_t> due;
  for (const auto& [key, entry] : model.state().keys.entries()) {
    if (entry.expires_ms && *entry.expires_ms > 0 && *entry.expires_ms < epoch_ms + 100'000'000) {
      due.push_back(*entry.expires_ms);
    }
  }
  constexpr std::int64_t steps[] = {1, 1, 2, 10, 100, 500, 1000, 3000};
  std::int64_t then = now + one_of(steps);
  if (!due.empty() && chance(75)) {
    then = one_of(due) + static_cast<std::int64_t>(random_.below(3)) - 1;
  } else if (chance(25)) {
    then = now - one_of(steps);
  }
  return {{.kind = Step::Kind::clock, .clock_us = then * 1000 + static_cast<std::int64_t>(random_.below(1000))}};
}

Step Generator::command(const ModelSide& model, int connection) {
  Words words;
  if (model.in_multi(connection) && chance(25)) {
    words = {chance(80) ? "EXEC" : "DISCARD"};
  } else if (model.subscribed(connection) && chance(50)) {
    words = {chance(50) ? "UNSUBSCRIBE" : "PING"};
  } else if (model.state().pause && !model.in_multi(connection) && !model.holds() && chance(10)) {
    words = {"CLIENT", chance(40) ? "UNPAUSE" : "PAUSE"};
    if (words[1] == Value("PAUSE")) add('w', model, words);
  } else if (model.paused() && chance(15)) {
    words = {"PUBLISH", one_of(channels), one_of(values)};
  } else {
    do {
      words = drawn(model);
    } while ((model.in_multi(connection) || model.holds()) &&
             (words[0].bytes().ends_with("SUBSCRIBE") || words[0] == Value("CLIENT")));
  }
  if (chance(3)) spoil(words);
  if (chance(5)) recase(words[0]);
  return {.connection = connection, .words = std::move(words)};
}

Step Generator::release(const ModelSide& model) {
  const std::int64_t until = model.held_until().value_or(0);
  const bool almost = !model.state().pause && model.now_us() / 1000 < until && chance(40);
  const std::int64_t then = almost ? until : until + 1 + static_cast<std::int64_t>(random_.below(3));
  return {.kind = Step::Kind::clock, .clock_us = then * 1000 + static_cast<std::int64_t>(random_.below(1000))};
}

Generator::Words Generator::drawn(const ModelSide& model) {
  static const std::uint64_t weights = total_weight();
  std::uint64_t at = random_.below(weights);
  const Form* form = std::begin(forms);
  for (; at >= form->weight; ++form) at -= form->weight;
  const std::string_view verb = form->verb;
  const std::size_t blank = verb.find(' ');
  Words words{Value(std::string(verb.substr(0, blank)))};
  if (blank != std::string_view::npos) words.emplace_back(std::string(verb.substr(blank + 1)));
  for (const char* kind = form->pattern; *kind != '\0'; ++kind) add(*kind, model, words);
  return words;
}

void Generator::add(char kind, const ModelSide& model, Words& words) {
  const auto repeat = [&](char one) {
    for (std::uint64_t i = 1 + (chance(30) ? random_.below(3) : 0); i > 0; --i) add(one, model, words);
  };
  switch (kind) {
    case 'k': words.emplace_back(one_of(keys)); return;
    case 'K': return repeat('k');
    case 'v': words.emplace_back(one_of(values)); return;
    case 'n': words.emplace_back(one_of(numbers)); return;
    case 'f': words.emplace_back(one_of(fields)); return;
    case 'F': return repeat('f');
    case 'p': return repeat('q');
    case 'q': add('f', model, words); return add('v', model, words);
    case 't': words.emplace_back(time(model, false)); return;
    case 'a':
      words.emplace_back(chance(10) ? one_of(odd_times) : std::to_string(std::stoll(time(model, true)) / 1000));
      return;
    case 'A': words.emplace_back(chance(10) ? one_of(odd_times) : time(model, true)); return;
    case 'c': words.emplace_back(one_of(channels)); return;
    case 'C': return repeat('c');
    case 'i': words.emplace_back(one_of(databases)); return;
    case 'I':
      words.emplace_back(one_of(sections));
      if (chance(30)) add('I', model, words);
      return;
    case 'z':
      words.emplace_back(one_of(protocols));
      for (int i = 0; i < 2 && chance(40); ++i) {
        words.emplace_back(one_of(hello_options));
        if (words.back() == Value("AUTH") && chance(80)) words.emplace_back(one_of(users));
        if (chance(80)) words.emplace_back(one_of(values));
      }
      return;
    case 'y':
      if (chance(30)) words.emplace_back(chance(40) ? "SYNC" : chance(70) ? "async" : "later");
      return;
    case 's':
      for (int i = 0; i < 4 && chance(45); ++i) {
        words.emplace_back(one_of(set_options));
        const std::string option = words.back().bytes();
        if ((option == "EX" || option == "PX") && !chance(4)) add('t', model, words);
        if (option == "EXAT" && !chance(4)) add('a', model, words);
        if (option == "PXAT" && !chance(4)) add('A', model, words);
      }
      return;
    case 'o':
      for (int i = 0; i < 2 && chance(30); ++i) words.emplace_back(one_of(expire_options));
      return;
    case 'w':
    case 'W': return add_wait(kind, words);
    default: return add_script(kind, model, words);
  }
}

/// Never a wait without a time-out: nothing would end it.
void Generator::add_wait(char kind, Words& words) {
  if (kind == 'W') {
    words.emplace_back(one_of(replicas));
    const bool nobody = words.back() == Value("0") || words.back() == Value("-1");
    words.emplace_back(chance(20) ? one_of(odd_waits) : nobody && chance(20) ? "0" : one_of(waits));
    return;
  }
  words.emplace_back(chance(20) ? one_of(odd_waits) : chance(20) ? "0" : one_of(waits));
  if (chance(70)) words.emplace_back(one_of(pauses));
}

void Generator::add_script(char kind, const ModelSide& model, Words& words) {
  const auto text = [&] { return std::string(one_of(scripts)); };
  switch (kind) {
    case 'T': words.emplace_back(text()); return;
    case 'h':
      for (std::uint64_t i = 1 + random_.below(2); i > 0; --i) words.emplace_back(harness::sha1_hex(text()));
      return;
    case 'S': words.emplace_back(text()); break;
    default: {
      const auto& known = model.state().scripts;
      const auto drawn_one = std::next(known.begin(), static_cast<std::ptrdiff_t>(random_.below(known.size() + 1)));
      words.emplace_back(chance(5)                  ? "nohash"
                         : drawn_one == known.end() ? harness::sha1_hex(text())
                                                    : drawn_one->first);
      break;
    }
  }
  if (chance(3)) {
    words.emplace_back(one_of(numbers));
    return add('K', model, words);
  }
  const std::uint64_t count = random_.below(3);
  words.emplace_back(std::to_string(count));
  for (std::uint64_t i = 0; i < count; ++i) add('k', model, words);
  if (chance(70)) {  // most scripts run the command that they are given
    const Words command = drawn(model);
    const bool is_lacking = sim::redis::is_word(command.front(), "TIME");  // in scripts
    if (!is_lacking) words.insert(words.end(), command.begin(), command.end());
  }
}

std::string Generator::time(const ModelSide& model, bool absolute) {
  if (!absolute) return chance(15) ? one_of(odd_times) : one_of(lives);
  const std::int64_t now = model.now_us() / 1000;
  return std::to_string(chance(20) ? now - std::stoll(one_of(lives)) : now + std::stoll(one_of(lives)));
}

/// A command with a wrong number of arguments, or an unknown command.
void Generator::spoil(Words& words) {
  if (chance(30)) {
    words[0] = one_of(unknown_verbs);
  } else if (words.size() > 1 && chance(60)) {
    words.pop_back();
  } else {
    words.emplace_back(one_of(values));
  }
}

void Generator::recase(Value& verb) {
  std::string bytes = verb.bytes();
  for (char& c : bytes) {
    if (chance(50)) c = sim::redis::lower(std::string_view(&c, 1))[0];
  }
  verb = Value(bytes);
}

std::vector<std::string> drawn_verbs() {
  std::vector<std::string> verbs;
  for (const Form& form : forms) {
    if (verbs.empty() || verbs.back() != form.verb) verbs.emplace_back(form.verb);
  }
  return verbs;
}

}  // namespace lockproof::conformance::redis
