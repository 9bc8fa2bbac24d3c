// SPDX-License-Identifier: Apache-2.0
// Reads what a real server sends on a connection that may have subscribed: replies, and messages in between.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "algorithms/port/command.hpp"

namespace lockproof::conformance::redis {

/// Receives the next reply or message on a connection.
using Receive = std::function<Reply()>;

[[nodiscard]] bool is_message(const Reply& reply, std::string_view kind);

/// The server's whole answer to one command; of INFO's, the lines that the simulated node has too. Messages that come
/// before it are added to `messages`.
[[nodiscard]] Reply answer_to(const std::vector<Value>& words, const Receive& receive, bool& subscribed,
                              std::vector<Reply>& messages);
/// Takes the messages before the answer on a connection that subscribed and has sent a PING.
void take_messages(const Receive& receive, std::vector<Reply>& messages);

}  // namespace lockproof::conformance::redis
