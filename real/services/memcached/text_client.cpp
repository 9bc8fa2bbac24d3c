// SPDX-License-Identifier: Apache-2.0
#include "real/services/memcached/text_client.hpp"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <charconv>

#include "real/network/proxy.hpp"
#include "real/services/memcached/text_codec.hpp"

namespace lockproof::real {
namespace {

constexpr timeval answer_time{5, 0};

}  // namespace

bool TextClient::connect(int port, pid_t pid) {
  close();
  socket_ = dial_port(port);
  if (!socket_.open()) return false;
  const int at_once = 1;
  ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &answer_time, sizeof answer_time);
  return statistic("pid") == pid;
}

void TextClient::close() {
  socket_.close();
  unread_.clear();
}

bool TextClient::read() {
  char bytes[16384];
  const auto count = ::recv(socket_.get(), bytes, sizeof bytes, 0);
  if (count <= 0) {
    close();
    return false;
  }
  unread_.append(bytes, static_cast<std::size_t>(count));
  return true;
}

std::optional<Reply> TextClient::ask(const Command& command) {
  const auto replies = ask_together({command});
  return replies ? std::optional(replies->front()) : std::nullopt;
}

std::optional<std::vector<Reply>> TextClient::ask_together(const std::vector<Command>& commands) {
  const TextCodec codec;
  std::string requests;
  for (const Command& command : commands) requests += codec.encode(command);
  if (!socket_.open() || !write_all(socket_.get(), requests.data(), requests.size())) return std::nullopt;
  std::vector<Reply> replies;
  while (replies.size() < commands.size()) {
    const std::size_t size = codec.size(unread_);
    if (size == 0) {
      if (!read()) return std::nullopt;
      continue;
    }
    replies.push_back(codec.reply(commands[replies.size()], unread_.substr(0, size)));
    unread_.erase(0, size);
  }
  return replies;
}

std::optional<std::int64_t> TextClient::statistic(const std::string& name) {
  constexpr std::string_view order = "stats\r\n", end = "END\r\n";
  if (!socket_.open() || !write_all(socket_.get(), order.data(), order.size())) return std::nullopt;
  while (!unread_.ends_with(end)) {
    if (!read()) return std::nullopt;
  }
  const std::string field = fmt::format("STAT {} ", name);
  const std::size_t at = unread_.find(field);
  std::int64_t number = 0;
  const bool there = at != std::string::npos;
  if (there) std::from_chars(unread_.data() + at + field.size(), unread_.data() + unread_.size(), number);
  unread_.clear();
  return there ? std::optional(number) : std::nullopt;
}

}  // namespace lockproof::real
