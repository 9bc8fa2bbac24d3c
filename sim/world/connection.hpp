// SPDX-License-Identifier: Apache-2.0
// Connection: one client's connection to one server, FIFO in each direction. It only carries; the world decides
// latencies and delivers.
#pragma once

#include <algorithm>
#include <climits>
#include <deque>
#include <optional>
#include <utility>

#include "algorithms/port/command.hpp"
#include "algorithms/port/instant.hpp"
#include "harness/history/event.hpp"

namespace lockproof::sim {

/// A command on its way, or, with a reply, the answer to it.
struct Message {
  int number = 0;      // of the command between this client and this server, from 1
  int occurrence = 0;  // of this verb to this server in the client's round, from 1
  int round = 0;
  Command command;
  std::optional<Reply> reply;
  Duration arrives{};
};

class Line {
 public:
  /// The message arrives at `when`, or right behind the one before it if that is later.
  void push(Message message, Duration when) {
    last_ = std::max(last_, when);
    message.arrives = last_;
    messages_.push_back(std::move(message));
  }
  [[nodiscard]] bool empty() const { return messages_.empty(); }
  [[nodiscard]] const Message& next() const { return messages_.front(); }
  Message take() {
    Message message = std::move(messages_.front());
    messages_.pop_front();
    return message;
  }
  /// From this message on, the line loses everything: it died silently there.
  int dead_from = INT_MAX;

 private:
  std::deque<Message> messages_;
  Duration last_{};
};

struct Connection {
  harness::HostIndex client;
  harness::HostIndex server;
  int number;  // names it to the server
  Line requests, replies;
  bool closed = false;  // by the client: what it had sent still arrives, answers go nowhere
};

}  // namespace lockproof::sim
