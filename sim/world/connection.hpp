// SPDX-License-Identifier: Apache-2.0
// Connection: one client's connection to one server, FIFO in each direction. It only carries; the world decides
// latencies and delivers.
#pragma once

#include <algorithm>
#include <climits>
#include <optional>
#include <utility>
#include <vector>

#include "algorithms/port/command.hpp"
#include "algorithms/port/instant.hpp"
#include "harness/history/event.hpp"

namespace lockproof::sim {

/// A command on its way, or, with a reply, the answer to it.
struct Message {
  int number = 0;      // of the command between this client and this server, from 1
  int occurrence = 0;  // of this verb to this server in the client's round, from 1
  int round = 0;
  Command command{std::vector<Value>{}};
  std::optional<Reply> reply;
  Duration arrives{};
  bool refused = false;      // nobody listens at the server
  bool push = false;         // sent by the server by itself
  bool reset = false;        // no message: the server's end of the connection is gone
  bool answer_lost = false;  // known already when a command is on its way: a fault of its answer
  Duration answer_late{};
};

class Line {
 public:
  /// The message arrives at `when`, or right behind the one before it if that is later.
  void push(Message message, Duration when) {
    if (message.number == late) when += late_by;
    last_ = std::max(last_, when);
    message.arrives = last_;
    messages_.push_back(std::move(message));
  }
  [[nodiscard]] bool empty() const { return messages_.empty(); }
  [[nodiscard]] const Message& next() const { return messages_.front(); }
  Message take() {
    Message message = std::move(messages_.front());
    messages_.erase(messages_.begin());
    return message;
  }
  void clear() { messages_.clear(); }
  /// As if nothing had ever been sent over it, but for its faults.
  void forget() {
    messages_.clear();
    last_ = {};
  }
  [[nodiscard]] const std::vector<Message>& messages() const { return messages_; }
  [[nodiscard]] Duration last() const { return last_; }

  // Faults. From one message on the line loses everything: it died silently there. One message alone is lost. One comes
  // later than it should, and all behind it with it.
  int dead_from = INT_MAX;
  int lost = 0;
  int late = 0;
  Duration late_by{};

  [[nodiscard]] bool loses(const Message& message) const {
    return message.number >= dead_from || (lost != 0 && message.number == lost);
  }

 private:
  std::vector<Message> messages_;
  Duration last_{};
};

struct Connection {
  harness::HostIndex client;
  harness::HostIndex server;
  int number;  // names it to the server
  Line requests, replies;
  int pushed = 0;       // messages sent to it
  bool closed = false;  // by the client: what it had sent still arrives, answers go nowhere
  bool reset = false;   // by the server: what is sent over it is lost; the client learns of it one way later
};

}  // namespace lockproof::sim
