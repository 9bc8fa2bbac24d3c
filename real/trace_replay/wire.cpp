// SPDX-License-Identifier: Apache-2.0
#include "real/trace_replay/wire.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <hiredis/hiredis.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "real/errors.hpp"
#include "real/services/redis/hiredis_reply.hpp"
#include "real/services/redis/resp.hpp"

namespace lockproof::real {
namespace {

constexpr int connect_ms = 5'000;

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

bool readable(int descriptor, int wait_ms) {
  pollfd waits{descriptor, POLLIN, 0};
  return ::poll(&waits, 1, wait_ms) > 0;
}

/// Calls `use(const redisReply&)` with a whole message.
template <class Use>
auto parsed(std::string_view message, Use use) {
  const std::unique_ptr<redisReader, decltype(&redisReaderFree)> reader(redisReaderCreate(), &redisReaderFree);
  redisReaderFeed(reader.get(), message.data(), message.size());
  void* raw = nullptr;
  if (redisReaderGetReply(reader.get(), &raw) != REDIS_OK || !raw)
    throw LostConnection("what came is not Redis's protocol");
  const std::unique_ptr<redisReply, decltype(&freeReplyObject)> reply(static_cast<redisReply*>(raw), &freeReplyObject);
  return use(*reply);
}

}  // namespace

std::string to_resp(const std::vector<Value>& words) {
  std::string bytes = fmt::format("*{}\r\n", words.size());
  for (const Value& word : words) bytes += fmt::format("${}\r\n{}\r\n", word.bytes().size(), word.bytes());
  return bytes;
}

Reply reply_of(std::string_view message) {
  return parsed(message, [](const redisReply& reply) { return reply_from(reply); });
}

std::vector<Value> words_of(std::string_view message) {
  return parsed(message, [](const redisReply& reply) { return words_from(reply); });
}

/// Small messages leave at once, even behind one that is not acknowledged yet.
Wire::Wire(Descriptor socket) : socket_(std::move(socket)) {
  const int at_once = 1;
  ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
}

Wire::Wire(int port) : Wire(Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))) {
  const sockaddr_in address = loopback(port);
  if (!socket_.open() || ::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw LostConnection(fmt::format("the connection is refused: {}", std::strerror(errno)));
  }
}

void Wire::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) throw LostConnection("the connection has ended");
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void Wire::fill() {
  if (!readable(socket_.get(), time_allowed_ms_))
    throw LostConnection(fmt::format("no answer within {} ms", time_allowed_ms_));
  char bytes[16384];
  const ssize_t got = ::recv(socket_.get(), bytes, sizeof bytes, 0);
  if (got <= 0) throw LostConnection("the connection has ended");
  held_.append(bytes, static_cast<std::size_t>(got));
}

/// A server that is busy with a copy sends empty lines to show that it is alive.
std::string Wire::message() {
  std::size_t size = 0;
  while (true) {
    held_.erase(0, held_.find_first_not_of('\n'));
    if ((size = resp_size(held_)) != 0) return bytes(size);
    fill();
  }
}

std::string Wire::bytes(std::size_t count) {
  while (held_.size() < count) fill();
  std::string taken = held_.substr(0, count);
  held_.erase(0, count);
  return taken;
}

Reply Wire::ask(const std::vector<Value>& words) {
  send(to_resp(words));
  return reply_of(message());
}

Listener::Listener() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address = loopback(0);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof address;
  if (!socket_.open() || ::bind(socket_.get(), generic, size) != 0 || ::listen(socket_.get(), 8) != 0 ||
      ::getsockname(socket_.get(), generic, &size) != 0) {
    throw BadEnvironment(fmt::format("no free port on 127.0.0.1: {}", std::strerror(errno)));
  }
  port_ = ntohs(address.sin_port);
}

Descriptor Listener::accept() {
  if (!readable(socket_.get(), connect_ms)) throw LostConnection("no replica connects");
  return Descriptor(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
}

}  // namespace lockproof::real
