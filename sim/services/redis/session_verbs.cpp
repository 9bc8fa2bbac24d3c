// SPDX-License-Identifier: Apache-2.0
// Effects and error texts as Redis 7.0.15 has them (multi.c, pubsub.c, server.c).
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "sim/services/redis/commands.hpp"
#include "sim/services/redis/verbs.hpp"
#include "sim/services/redis/words.hpp"

namespace lockproof::sim::redis::verbs {
namespace {

Reply confirmation(const char* what, Reply channel, const Session& session) {
  return Reply::array(
      {Reply::bulk(what), std::move(channel), Reply::integer(static_cast<std::int64_t>(session.channels.size()))});
}

/// The first message is the reply; the others follow it on the same connection.
Reply answer_all(Scene& scene, std::vector<Reply> messages) {
  Reply first = std::move(messages.front());
  messages.erase(messages.begin());
  scene.out.further = std::move(messages);
  return first;
}

constexpr const char* no_name = "ERR Client names cannot contain spaces, newlines or special characters.";

bool is_name(const Value& word) {
  return std::ranges::all_of(word.bytes(), [](char c) { return c >= '!' && c <= '~'; });
}

}  // namespace

Reply ping(Scene& scene, const Words& words) {
  if (words.size() > 2) return Reply::error("ERR wrong number of arguments for 'ping' command");
  if (scene.session().hears_only()) {
    return Reply::array({Reply::bulk("pong"), Reply::bulk(words.size() == 1 ? Value("") : words[1])});
  }
  return words.size() == 1 ? Reply::status("PONG") : Reply::bulk(words[1]);
}

Reply echo(Scene&, const Words& words) { return Reply::bulk(words[1]); }

/// As one stamp, which stays good whenever this state of the server comes; programs/resp.cpp writes it in two numbers.
Reply time(Scene& scene, const Words&) {
  return Reply::array({Reply::bulk(Value(std::to_string(scene.now_ms), Value::Mark::stamp))});
}

/// The lines that follow from the model; a real server has many more of its own.
Reply info(Scene& scene, const Words& words) {
  const std::pair<std::string_view, std::string> sections[] = {
      {"Server", "redis_version:7.0.15\r\nredis_mode:standalone\r\n"},
      {"Persistence", "loading:0\r\nasync_loading:0\r\n"},
      {"Replication", fmt::format("role:{}\r\n", scene.node.replica ? "slave" : "master")},
      {"Cluster", "cluster_enabled:0\r\n"},
  };
  const auto is_asked = [&](std::string_view section) {
    const auto names = [&](const Value& word) {
      return is_word(word, upper(section)) || is_word(word, "ALL") || is_word(word, "EVERYTHING") ||
             is_word(word, "DEFAULT");
    };
    return words.size() == 1 || std::any_of(words.begin() + 1, words.end(), names);
  };
  std::string text;
  for (const auto& [section, lines] : sections) {
    if (is_asked(section)) text += fmt::format("{}# {}\r\n{}", text.empty() ? "" : "\r\n", section, lines);
  }
  return Reply::bulk(text);
}

/// The answer's number of the connection is no part of the model.
Reply hello(Scene& scene, const Words& words) {
  Session& session = scene.session();
  int protocol = session.protocol;
  if (words.size() > 1) {
    const auto asked = integer(words[1]);
    if (!asked) return Reply::error("ERR Protocol version is not an integer or out of range");
    if (*asked != 2 && *asked != 3) return Reply::error("NOPROTO unsupported protocol version");
    protocol = static_cast<int>(*asked);
  }
  for (std::size_t i = 2; i < words.size(); ++i) {
    const std::size_t more = words.size() - 1 - i;
    if (is_word(words[i], "AUTH") && more >= 2) {
      // The default user has no password, and there is no other.
      if (words[i + 1] != Value("default")) {
        return Reply::error("WRONGPASS invalid username-password pair or user is disabled.");
      }
      i += 2;
    } else if (is_word(words[i], "SETNAME") && more >= 1) {
      if (!is_name(words[++i])) return Reply::error(no_name);
    } else {
      return Reply::error(one_line(fmt::format("ERR Syntax error in HELLO option '{}'", words[i].bytes().c_str())));
    }
  }
  session.protocol = protocol;
  return Reply::array({Reply::bulk("server"), Reply::bulk("redis"), Reply::bulk("version"), Reply::bulk("7.0.15"),
                       Reply::bulk("proto"), Reply::integer(protocol), Reply::bulk("id"), Reply::integer(1),
                       Reply::bulk("mode"), Reply::bulk("standalone"), Reply::bulk("role"),
                       Reply::bulk(scene.node.replica ? "replica" : "master"), Reply::bulk("modules"),
                       Reply::array({})});
}

/// The name is not kept: no command that is modelled shows it.
Reply client_setname(Scene&, const Words& words) {
  return is_name(words[2]) ? Reply::status("OK") : Reply::error(no_name);
}

/// There is only one database.
Reply select(Scene&, const Words& words) {
  const auto index = integer(words[1]);
  if (!index) return Reply::error(not_an_integer);
  if (*index < INT32_MIN || *index > INT32_MAX) {
    return Reply::error(fmt::format("ERR value is out of range, value must between {} and {}", INT32_MIN, INT32_MAX));
  }
  return *index == 0 ? Reply::status("OK") : Reply::error("ERR DB index is out of range");
}

Reply reset(Scene& scene, const Words&) {
  scene.node.sessions.close(scene.connection);
  return Reply::status("RESET");
}

Reply multi(Scene& scene, const Words&) {
  if (scene.session().multi) return Reply::error("ERR MULTI calls can not be nested");
  scene.session().multi = true;
  return Reply::status("OK");
}

Reply exec(Scene& scene, const Words&) {
  Sessions& sessions = scene.node.sessions;
  Session& session = scene.session();
  if (!session.multi) return Reply::error("ERR EXEC without MULTI");
  const bool changed = session.dirty_cas || sessions.watched_expired(scene.connection, scene.node.keys, scene.now_ms);
  const bool refused = session.dirty_exec;
  const std::vector<Words> queued = std::move(session.queued);
  sessions.discard(scene.connection);
  if (refused) return Reply::error("EXECABORT Transaction discarded because of previous errors.");
  if (changed) return Reply::nil();
  std::vector<Reply> replies;
  scene.may_wait = false;
  for (const Words& words : queued) replies.push_back(execute_queued(scene, words));
  return Reply::array(std::move(replies));
}

Reply discard(Scene& scene, const Words&) {
  if (!scene.session().multi) return Reply::error("ERR DISCARD without MULTI");
  scene.node.sessions.discard(scene.connection);
  return Reply::status("OK");
}

Reply watch(Scene& scene, const Words& words) {
  if (scene.session().multi) return Reply::error("ERR WATCH inside MULTI is not allowed");
  if (scene.session().dirty_cas) return Reply::status("OK");
  for (std::size_t i = 1; i < words.size(); ++i) {
    scene.node.sessions.watch(scene.connection, words[i].bytes(), scene.node.keys, scene.now_ms);
  }
  return Reply::status("OK");
}

Reply unwatch(Scene& scene, const Words&) {
  scene.node.sessions.unwatch(scene.connection);
  scene.session().dirty_cas = false;
  return Reply::status("OK");
}

/// Replicas get it as well, whether or not a connection is subscribed here.
Reply publish(Scene& scene, const Words& words) {
  const auto subscribers = scene.node.sessions.subscribers(words[1].bytes());
  for (const int connection : subscribers) {
    scene.push(connection, Reply::array({Reply::bulk("message"), Reply::bulk(words[1]), Reply::bulk(words[2])}));
  }
  scene.dirty = true;
  return Reply::integer(static_cast<std::int64_t>(subscribers.size()));
}

Reply subscribe(Scene& scene, const Words& words) {
  Session& session = scene.session();
  std::vector<Reply> messages;
  for (std::size_t i = 1; i < words.size(); ++i) {
    session.channels.insert(words[i].bytes());
    messages.push_back(confirmation("subscribe", Reply::bulk(words[i]), session));
  }
  return answer_all(scene, std::move(messages));
}

/// Without arguments: from all channels, in an order that Redis leaves to its hash table.
Reply unsubscribe(Scene& scene, const Words& words) {
  Session& session = scene.session();
  std::vector<Value> channels(words.begin() + 1, words.end());
  if (channels.empty()) channels.assign(session.channels.begin(), session.channels.end());
  std::vector<Reply> messages;
  for (const Value& channel : channels) {
    session.channels.erase(channel.bytes());
    messages.push_back(confirmation("unsubscribe", Reply::bulk(channel), session));
  }
  if (messages.empty()) messages.push_back(confirmation("unsubscribe", Reply::nil(), session));
  return answer_all(scene, std::move(messages));
}

/// How many connections are subscribed to each channel, by its exact name.
Reply pubsub_numsub(Scene& scene, const Words& words) {
  std::vector<Reply> items;
  for (std::size_t i = 2; i < words.size(); ++i) {
    items.push_back(Reply::bulk(words[i]));
    const auto count = scene.node.sessions.subscribers(words[i].bytes()).size();
    items.push_back(Reply::integer(static_cast<std::int64_t>(count)));
  }
  return Reply::array(std::move(items));
}

}  // namespace lockproof::sim::redis::verbs
