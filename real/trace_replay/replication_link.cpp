// SPDX-License-Identifier: Apache-2.0
#include "real/trace_replay/replication_link.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

namespace lockproof::real {
namespace {

bool is(const std::vector<Value>& words, std::string_view verb) { return !words.empty() && words[0].bytes() == verb; }

std::int64_t number_in(std::string_view text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

void ReplicationLink::follow(int master_port) {
  master_ = std::make_unique<Wire>(master_port);
  (void)master_->ask({"REPLCONF", "listening-port", Value::number(listener_.port())});
  master_->send(to_resp({"PSYNC", "?", "-1"}));
  full_resync_ = next_from_master();
  if (!full_resync_.starts_with("+FULLRESYNC ")) throw LostConnection("PSYNC answered " + full_resync_);
  read_ = handed_ = number_in(std::string_view(full_resync_).substr(full_resync_.rfind(' ') + 1));
  const std::string header = next_from_master();
  if (!header.starts_with('$')) throw LostConnection("behind FULLRESYNC came " + header);
  copy_ = header + master_->bytes(static_cast<std::size_t>(number_in(std::string_view(header).substr(1))));
}

/// A line; empty ones, which a busy master sends to show that it is alive, are left out.
std::string ReplicationLink::next_from_master() {
  std::string line;
  while (!line.ends_with("\r\n")) {
    line += master_->bytes(1);
    if (line == "\n") line.clear();
  }
  return line;
}

void ReplicationLink::hand_over_copy() {
  replica_ = std::make_unique<Wire>(listener_.accept());
  while (true) {
    const std::vector<Value> words = words_of(replica_->message());
    if (is(words, "PSYNC")) break;
    replica_->send(is(words, "PING") ? "+PONG\r\n" : "+OK\r\n");
  }
  replica_->send(full_resync_ + copy_);
  await_replica();
}

std::vector<Value> ReplicationLink::pass_one() {
  while (true) {
    const std::string message = master_->message();
    read_ += static_cast<std::int64_t>(message.size());
    std::vector<Value> words = words_of(message);
    if (is(words, "PING") || is(words, "ping") || is(words, "REPLCONF") || is(words, "MULTI") || is(words, "EXEC"))
      continue;
    hand(message);
    if (is(words, "SELECT")) continue;
    await_replica();
    return words;
  }
}

void ReplicationLink::hand(std::string_view message) {
  replica_->send(message);
  handed_ += static_cast<std::int64_t>(message.size());
}

/// Returns when it has run all that it was sent. It also says once a second how far it is, without being asked.
void ReplicationLink::await_replica() {
  const std::int64_t wanted = handed_;
  hand(to_resp({"REPLCONF", "GETACK", "*"}));
  while (true) {
    const std::vector<Value> words = words_of(replica_->message());
    const bool tells = words.size() == 3 && words[1].bytes() == "ACK";
    if (tells && number_in(words[2].bytes()) >= wanted) return;
  }
}

void ReplicationLink::acknowledge() { master_->send(to_resp({"REPLCONF", "ACK", Value::number(read_)})); }

}  // namespace lockproof::real
