// SPDX-License-Identifier: Apache-2.0
#include "conformance/redis/answers.hpp"

#include <utility>

namespace lockproof::conformance {

bool is_message(const Reply& reply, std::string_view kind) {
  return reply.kind() == Reply::Kind::array && !reply.items().empty() && reply.items()[0].kind() == Reply::Kind::bulk &&
         reply.items()[0].value().bytes() == kind;
}

Reply answer_to(const std::vector<Value>& words, const Receive& receive, bool& subscribed,
                std::vector<Reply>& messages) {
  Reply first = receive();
  for (; is_message(first, "message"); first = receive()) messages.push_back(std::move(first));
  const bool joins = is_message(first, "subscribe"), leaves = is_message(first, "unsubscribe");
  if (!joins && !leaves) {
    if (first == Reply::status("RESET")) subscribed = false;
    return first;
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

}  // namespace lockproof::conformance
