// SPDX-License-Identifier: Apache-2.0
#include "real/services/redis/monitor.hpp"

#include <arpa/inet.h>
#include <hiredis/hiredis.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "real/clock/world_time.hpp"
#include "real/errors.hpp"
#include "real/services/redis/keyspace_events.hpp"

namespace lockproof::real {
namespace {

constexpr std::string_view channel_prefix = "__keyevent@0__:";
constexpr std::int64_t time_allowed_ns = 5'000'000'000;
/// In this order, and in the old protocol: a subscriber may not ask for MONITOR, but a monitor may subscribe.
constexpr std::string_view orders = "MONITOR\r\nPSUBSCRIBE __keyevent@0__:*\r\n";

using ReplyPointer = std::unique_ptr<redisReply, decltype(&freeReplyObject)>;

std::string_view view_of(const redisReply& reply) { return {reply.str, reply.len}; }

}  // namespace

Monitor::Monitor(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), reader_(redisReaderCreate()) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  const bool asked = ::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
                     ::send(socket_.get(), orders.data(), orders.size(), MSG_NOSIGNAL) > 0;
  // MONITOR shows the subscription itself, which comes after it on this connection: from there on it is complete.
  const std::int64_t give_up = machine_ns() + time_allowed_ns;
  while (asked && executions_.empty() && machine_ns() < give_up && read(true)) {
  }
  const bool works = !executions_.empty();
  executions_.clear();
  if (!works) throw BadEnvironment("redis-server does not let itself be monitored; version 7.0 is known to work");
}

Monitor::~Monitor() { redisReaderFree(reader_); }

void Monitor::attach(EventLoop& loop) {
  watch_ = std::make_unique<EventLoop::Watch>(loop, socket_.get(), [this](EventLoop::Watch::Readiness ready) {
    if (!ready.failed && read(false)) return;
    while (ready.failed && read(false)) {  // the server is dead: what it still said, to the end
    }
    watch_->want(false, false);
  });
  watch_->want(true, false);
}

bool Monitor::read(bool wait) {
  if (wait) {
    pollfd ready{socket_.get(), POLLIN, 0};
    ::poll(&ready, 1, 100);
  }
  char bytes[16384];
  const auto count = ::recv(socket_.get(), bytes, sizeof bytes, MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (count <= 0) {
    ended_ = true;
    return false;
  }
  redisReaderFeed(reader_, bytes, static_cast<std::size_t>(count));
  void* raw = nullptr;
  while (redisReaderGetReply(reader_, &raw) == REDIS_OK && raw) {
    const ReplyPointer reply(static_cast<redisReply*>(raw), &freeReplyObject);
    if (reply->type == REDIS_REPLY_STATUS) {
      see(view_of(*reply));
    } else if (reply->type == REDIS_REPLY_ARRAY && reply->elements == 4) {  // pmessage, pattern, channel, key
      const std::string_view channel = view_of(*reply->element[2]);
      pending_.push_back(effect_of(std::string(channel.substr(std::min(channel_prefix.size(), channel.size()))),
                                   std::string(view_of(*reply->element[3]))));
    }
  }
  return true;
}

void Monitor::see(std::string_view text) {
  auto line = monitor_line_from(text);
  if (!line) return;
  if (line->port == 0) {  // inside the script whose line came before
    if (!executions_.empty()) settle(*line, executions_.back().effects);
    return;
  }
  MonitoredCommand execution{line->stamp_us, machine_ns(), line->port, {}, {}};
  settle(*line, execution.effects);
  execution.words = std::move(line->words);
  executions_.push_back(std::move(execution));
}

/// The pending events were made by this line's command. An `expire` says a new time to live, which stands in the
/// command; where it cannot be read there, the key's end is what it was, as far as is known.
void Monitor::settle(const MonitorLine& line, std::vector<harness::Effect>& into) {
  for (harness::Effect& effect : pending_) {
    if (effect.event != "expire") continue;
    effect.ttl = ttl_in(line.words);
    if (!effect.ttl) effect.change = harness::Change::changed;
  }
  std::ranges::move(pending_, std::back_inserter(into));
  pending_.clear();
}

bool Monitor::read_rest() {
  pollfd ready{socket_.get(), POLLIN, 0};
  while (!ended_ && ::poll(&ready, 1, 0) > 0) read(false);
  return !ended_;
}

void Monitor::read_until(const std::string& word) {
  const std::int64_t give_up = machine_ns() + time_allowed_ns;
  const auto seen = [&] {
    return std::ranges::any_of(executions_.rbegin(), executions_.rend(), [&](const MonitoredCommand& e) {
      return e.words.size() == 2 && e.words[0].bytes() == "ECHO" && e.words[1].bytes() == word;
    });
  };
  while (!seen() && machine_ns() < give_up && read(true)) {
  }
}

}  // namespace lockproof::real
