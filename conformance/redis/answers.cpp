// SPDX-License-Identifier: Apache-2.0
#include "conformance/redis/answers.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace lockproof::conformance::redis {

bool is_message(const Reply& reply, std::string_view kind) {
  return reply.kind() == Reply::Kind::array && !reply.items().empty() && reply.items()[0].kind() == Reply::Kind::bulk &&
         reply.items()[0].value().bytes() == kind;
}

namespace {

/// What the simulated node says of itself.
constexpr std::string_view modelled[] = {"# Server",  "redis_version:",  "redis_mode:",   "# Persistence",
                                         "loading:",  "async_loading:",  "# Replication", "role:",
                                         "# Cluster", "cluster_enabled:"};

bool is_number(const Reply& reply, std::size_t most_digits) {
  const std::string& text = reply.value().bytes();
  return reply.kind() == Reply::Kind::bulk && !text.empty() && text.size() <= most_digits &&
         text.find_first_not_of("0123456789") == std::string::npos;
}

/// A reply to TIME, of any time from 2001 to 2286: seconds, and microseconds of them.
bool is_time(const Reply& reply) {
  return reply.items().size() == 2 && is_number(reply.items()[0], 10) &&
         reply.items()[0].value().bytes().size() == 10 && is_number(reply.items()[1], 6);
}

/// As the model has it: in milliseconds.
Reply model_time(const Reply& reply) {
  const auto number = [&](std::size_t i) { return std::stoll(reply.items()[i].value().bytes()); };
  return Reply::array({Reply::bulk(Value(std::to_string(number(0) * 1000 + number(1) / 1000)))});
}

/// A reply to INFO, wherever it is in this one, without the lines that are the real server's own, one to HELLO with the
/// model's number of the connection, and one to TIME in its unit.
Reply comparable(Reply reply) {
  constexpr std::size_t number_in_hello = 7;
  if (reply.kind() == Reply::Kind::array) {
    if (is_time(reply)) return model_time(reply);
    const bool is_hello = is_message(reply, "server") && reply.items().size() > number_in_hello;
    std::vector<Reply> items;
    for (const Reply& item : reply.items()) items.push_back(comparable(item));
    if (is_hello) items[number_in_hello] = Reply::integer(1);
    return Reply::array(std::move(items));
  }
  if (reply.kind() != Reply::Kind::bulk || !reply.value().bytes().starts_with("# ")) return reply;
  std::string_view rest = reply.value().bytes();
  std::string kept;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find("\r\n"));
    rest.remove_prefix(std::min(line.size() + 2, rest.size()));
    const bool known = std::ranges::any_of(modelled, [&](std::string_view start) { return line.starts_with(start); });
    if (!known) continue;
    if (line.starts_with("# ") && !kept.empty()) kept += "\r\n";
    kept += std::string(line) + "\r\n";
  }
  return Reply::bulk(kept);
}

}  // namespace

Reply answer_to(const std::vector<Value>& words, const Receive& receive, bool& subscribed,
                std::vector<Reply>& messages) {
  Reply first = receive();
  for (; is_message(first, "message"); first = receive()) messages.push_back(std::move(first));
  const bool joins = is_message(first, "subscribe"), leaves = is_message(first, "unsubscribe");
  if (!joins && !leaves) {
    if (first == Reply::status("RESET")) subscribed = false;
    return comparable(std::move(first));
  }
  std::vector<Reply> all{std::move(first)};
  while (words.size() > 1 ? all.size() + 1 < words.size() : !all.back().items()[2].is_integer(0)) {
    all.push_back(receive());
  }
  subscribed = !all.back().items()[2].is_integer(0);
  return all.size() == 1 ? std::move(all.front()) : Reply::array(std::move(all));
}

void take_messages(const Receive& receive, std::vector<Reply>& messages) {
  for (Reply message = receive(); !is_message(message, "pong"); message = receive()) {
    messages.push_back(std::move(message));
  }
}

}  // namespace lockproof::conformance::redis
