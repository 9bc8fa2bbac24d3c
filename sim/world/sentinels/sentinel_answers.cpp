// SPDX-License-Identifier: Apache-2.0
// Answers as those of Redis 7.0.15 (sentinel.c): of their many fields those by which clients find the servers.
#include "sim/world/sentinels/sentinel_answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "harness/scenario/simulated_addresses.hpp"

namespace lockproof::sim {
namespace {

using harness::simulated_host;

std::string capitals(std::string word) {
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return word;
}

Reply fields(const std::vector<std::pair<std::string, std::string>>& all) {
  std::vector<Reply> items;
  for (const auto& [field, value] : all) {
    items.push_back(Reply::bulk(Value(field)));
    items.push_back(Reply::bulk(Value(value)));
  }
  return Reply::array(std::move(items));
}

Reply master(const SentinelView& view) {
  return fields({{"name", view.name},
                 {"ip", simulated_host},
                 {"port", std::to_string(view.master_port)},
                 {"flags", "master"},
                 {"role-reported", "master"},
                 {"num-slaves", std::to_string(view.replica_ports.size())},
                 {"num-other-sentinels", std::to_string(view.other_sentinel_ports.size())},
                 {"quorum", std::to_string(view.quorum)}});
}

Reply replicas(const SentinelView& view) {
  std::vector<Reply> all;
  for (const std::size_t port : view.replica_ports) {
    all.push_back(fields({{"name", fmt::format("{}:{}", simulated_host, port)},
                          {"ip", simulated_host},
                          {"port", std::to_string(port)},
                          {"flags", "slave"},
                          {"role-reported", "slave"},
                          {"master-link-status", "ok"},
                          {"master-host", simulated_host},
                          {"master-port", std::to_string(view.master_port)}}));
  }
  return Reply::array(std::move(all));
}

Reply sentinels(const SentinelView& view) {
  std::vector<Reply> all;
  for (const std::size_t port : view.other_sentinel_ports) {
    all.push_back(fields({{"name", fmt::format("{:040x}", port)},
                          {"ip", simulated_host},
                          {"port", std::to_string(port)},
                          {"runid", fmt::format("{:040x}", port)},
                          {"flags", "sentinel"}}));
  }
  return Reply::array(std::move(all));
}

std::optional<Reply> of_masters(const std::vector<Value>& words, const SentinelView& view) {
  const std::string what = words.size() > 1 ? capitals(words[1].bytes()) : "";
  if (what == "MASTERS" && words.size() == 2) return Reply::array({master(view)});
  const bool is_of_one = what == "GET-MASTER-ADDR-BY-NAME" || what == "MASTER" || what == "REPLICAS" ||
                         what == "SLAVES" || what == "SENTINELS";
  if (!is_of_one || words.size() != 3) return std::nullopt;
  const bool is_known = words[2].bytes() == view.name;
  if (what == "GET-MASTER-ADDR-BY-NAME") {
    if (!is_known) return Reply::nil();
    return Reply::array({Reply::bulk(simulated_host), Reply::bulk(Value(std::to_string(view.master_port)))});
  }
  if (!is_known) return Reply::error("ERR No such master with that name");
  return what == "MASTER" ? master(view) : what == "SENTINELS" ? sentinels(view) : replicas(view);
}

/// Commands that a real sentinel has, and the simulated ones have not.
bool is_lacking(const std::string& verb) {
  constexpr std::array lacking{"ACL",        "AUTH",    "CLIENT",       "COMMAND",
                               "PSUBSCRIBE", "PUBLISH", "PUNSUBSCRIBE", "UNSUBSCRIBE"};
  return std::ranges::find(lacking, verb) != lacking.end();
}

/// As Redis answers what it does not have.
Reply unknown(const std::vector<Value>& words) {
  std::string shown;
  for (std::size_t i = 1; i < words.size(); ++i) shown += fmt::format("'{}' ", words[i].bytes());
  return Reply::error(
      fmt::format("ERR unknown command '{}', with args beginning with: {}", words.front().bytes(), shown));
}

std::optional<Reply> of_client(const std::vector<Value>& words) {
  const std::string what = words.size() > 1 ? capitals(words[1].bytes()) : "";
  if (what == "SETNAME" && words.size() == 3) return Reply::status("OK");
  if (what != "SETINFO") return std::nullopt;  // which Redis 7.0 does not have
  return Reply::error(fmt::format("ERR unknown subcommand '{}'. Try CLIENT HELP.", words[1].bytes()));
}

/// The first channel's: a client that listens to more waits for more answers.
std::optional<Reply> confirmation(const char* what, const std::vector<Value>& words) {
  if (words.size() != 2) return std::nullopt;
  return Reply::array({Reply::bulk(what), Reply::bulk(words[1]), Reply::integer(1)});
}

Reply hello(int protocol) {
  return Reply::array({Reply::bulk("server"), Reply::bulk("redis"), Reply::bulk("version"), Reply::bulk("7.0.15"),
                       Reply::bulk("proto"), Reply::integer(protocol), Reply::bulk("id"), Reply::integer(1),
                       Reply::bulk("mode"), Reply::bulk("sentinel"), Reply::bulk("modules"), Reply::array({})});
}

}  // namespace

std::optional<Reply> sentinel_answer(const Command& command, const SentinelView& view) {
  const std::vector<Value>& words = command.args();
  const std::string verb = capitals(words.front().bytes());
  if (verb == "SENTINEL") return of_masters(words, view);
  if (verb == "PING") return Reply::status("PONG");
  if (verb == "HELLO") return hello(words.size() > 1 && words[1].bytes() == "3" ? 3 : 2);
  if (verb == "ROLE") return Reply::array({Reply::bulk("sentinel"), Reply::array({Reply::bulk(Value(view.name))})});
  if (verb == "CLIENT") return of_client(words);
  if (verb == "INFO") return Reply::bulk("# Server\r\nredis_version:7.0.15\r\nredis_mode:sentinel\r\n");
  if (verb == "SUBSCRIBE") return confirmation("subscribe", words);
  if (is_lacking(verb)) return std::nullopt;
  return unknown(words);
}

Reply switch_of_master(const std::string& name, std::size_t old_port, std::size_t new_port) {
  const std::string text = fmt::format("{} {} {} {} {}", name, simulated_host, old_port, simulated_host, new_port);
  return Reply::array({Reply::bulk("message"), Reply::bulk("+switch-master"), Reply::bulk(Value(text))});
}

}  // namespace lockproof::sim
