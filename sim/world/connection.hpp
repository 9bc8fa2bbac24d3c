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
#include "harness/program/key_lease.hpp"

namespace lockproof::sim {

/// A command under way, or, with a reply, the reply to it.
struct Message {
  int number = 0;      // of the command between this client and this server, from 1
  int occurrence = 0;  // of this verb to this server in the client's round, from 1
  int round = 0;
  Command command{std::vector<Value>{}};
  std::optional<Reply> reply;
  std::optional<harness::KeyChange> key{};  // of a program's command: what it has done to the lock's key
  Duration due{};                           // when it would arrive if nothing held it up
  Duration arrives{};
  bool refused = false;      // the server refuses connections
  bool push = false;         // sent by the server without a request
  bool reset = false;        // no message: the server has closed its end of the connection
  bool hang_up = false;      // no message: the client has closed its end of the connection
  bool answer_lost = false;  // known already while a command is under way: a fault will lose its reply
  Duration answer_late{};
};

class Line {
 public:
  /// The message arrives at `when`, or right behind the one before it if that is later.
  void push(Message message, Duration when) {
    message.due = when;
    messages_.push_back(std::move(message));
    line_up(messages_.back());
  }
  /// What makes one message late ends: it arrives at this instant, unless it would have arrived before, and so do those
  /// behind it.
  void hasten(Duration at) {
    late_until = at;
    last_ = {};
    for (Message& message : messages_) line_up(message);
  }
  [[nodiscard]] bool empty() const { return messages_.empty(); }
  [[nodiscard]] const Message& next() const { return messages_.front(); }
  Message take() {
    Message message = std::move(messages_.front());
    messages_.erase(messages_.begin());
    return message;
  }
  void clear() { messages_.clear(); }
  /// As if nothing had ever been sent over it, except that its faults stay.
  void forget() {
    messages_.clear();
    last_ = {};
  }
  /// The client has closed its end: news, and the news that the connection is closed, have nobody left to reach.
  void drop_news() {
    std::erase_if(messages_, [](const Message& message) { return message.reset || message.push; });
    last_ = messages_.empty() ? Duration{} : messages_.back().arrives;
  }
  [[nodiscard]] const std::vector<Message>& messages() const { return messages_; }
  [[nodiscard]] Duration last() const { return last_; }

  // Faults. From one message on the line loses everything: the connection is half-open. Or one message alone is lost,
  // or one is delayed, and all behind it with it.
  int dead_from = INT_MAX;
  int lost = 0;
  int late = 0;
  Duration late_by{};
  std::optional<Duration> late_until{};  // and no longer

  [[nodiscard]] bool is_dead() const { return dead_from != INT_MAX; }
  [[nodiscard]] bool loses(const Message& message) const {
    if (message.hang_up) return is_dead();
    return message.number >= dead_from || (lost != 0 && message.number == lost);
  }

 private:
  void line_up(Message& message) {
    Duration when = message.due;
    if (message.number == late) when += late_by;
    if (message.number == late && late_until) when = std::min(when, std::max(message.due, *late_until));
    last_ = std::max(last_, when);
    message.arrives = last_;
  }

  std::vector<Message> messages_;
  Duration last_{};
};

struct Connection {
  harness::HostIndex client;
  harness::HostIndex server;
  int number;  // by which the server knows the connection
  Line requests, replies;
  bool closed = false;  // by the client: what it had sent still arrives, replies are dropped
  bool reset = false;   // by the server: what is sent over it is lost; the client learns of it one latency later

  void close_at_client() {
    closed = true;
    replies.drop_news();
  }
  void close_at_server() {
    requests.forget();
    reset = true;
  }
};

}  // namespace lockproof::sim
