// SPDX-License-Identifier: Apache-2.0
#include "real/services/zookeeper/zookeeper_control.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "real/network/proxy.hpp"
#include "real/services/zookeeper/jute.hpp"

namespace lockproof::real {
namespace {

constexpr timeval control_answers_within{5, 0}, word_answered_within{0, 300'000};
constexpr std::int32_t code_of_create = 1, permissions_of_all = 31, lasting = 0, exists_already = -110;

Descriptor dial_with(int port, const timeval& within) {
  Descriptor socket = dial_port(port);
  if (!socket.open()) return socket;
  const int at_once = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
  ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &within, sizeof within);
  return socket;
}

}  // namespace

/// The server ends the connection behind its answer.
std::string answer_to_word(int port, const std::string& word) {
  const Descriptor socket = dial_with(port, word_answered_within);
  if (!socket.open() || !write_all(socket.get(), word.data(), word.size())) return {};
  std::string all;
  char bytes[4096];
  for (ssize_t n = 0; (n = ::recv(socket.get(), bytes, sizeof bytes, 0)) > 0;) {
    all.append(bytes, static_cast<std::size_t>(n));
  }
  return all;
}

bool ZooKeeperControl::send(const std::string& bytes) {
  return socket_.open() && write_all(socket_.get(), bytes.data(), bytes.size());
}

bool ZooKeeperControl::read(bool waits) {
  char bytes[16384];
  const auto count = ::recv(socket_.get(), bytes, sizeof bytes, waits ? 0 : MSG_DONTWAIT);
  ended_ = ended_ || count == 0 || (count < 0 && errno == ECONNRESET);
  if (count <= 0) return false;
  unread_.append(bytes, static_cast<std::size_t>(count));
  return true;
}

void ZooKeeperControl::close() {
  socket_.close();
  unread_.clear();
  told_.clear();
  ended_ = true;
}

bool ZooKeeperControl::ended() {
  while (!ended_ && read(false)) {
  }
  return ended_;
}

/// What a watch tells stands in front of the answer.
void ZooKeeperControl::take_told() {
  const ZooKeeperFraming framing;
  while (const std::size_t size = framing.size(unread_)) {
    auto node = told_in(std::string_view(unread_).substr(0, size));
    if (!node) return;
    told_.push_back(*std::move(node));
    unread_.erase(0, size);
  }
}

std::optional<std::string> ZooKeeperControl::receive() {
  const ZooKeeperFraming framing;
  for (;;) {
    take_told();
    if (const std::size_t size = framing.size(unread_)) {
      std::string message = unread_.substr(0, size);
      unread_.erase(0, size);
      return message;
    }
    if (!socket_.open() || !read(true)) return std::nullopt;
  }
}

std::optional<Welcome> ZooKeeperControl::connect(int port, milliseconds timeout, const SessionKey& session) {
  close();
  socket_ = dial_with(port, control_answers_within);
  if (!send(handshake(timeout, session))) return std::nullopt;
  ended_ = false;
  const auto message = receive();
  return message ? welcome_in(*message) : std::nullopt;
}

std::optional<Reply> ZooKeeperControl::ask(const Command& command) {
  if (!send(request_of(command, ++requests_))) return std::nullopt;
  const auto message = receive();
  return message ? std::optional(reply_in(command.verb(), *message)) : std::nullopt;
}

bool ZooKeeperControl::make_lasting(const std::string& name) {
  JuteWriter body;
  body.number(++requests_).number(code_of_create).text("/" + name).text("");
  body.number(1).number(permissions_of_all).text("world").text("anyone").number(lasting);
  if (!send(body.message())) return false;
  const auto message = receive();
  const auto head = message ? head_of(*message) : std::nullopt;
  return head && (head->error == 0 || head->error == exists_already);
}

std::vector<std::string> ZooKeeperControl::told() {
  while (socket_.open() && read(false)) {
  }
  take_told();
  return std::exchange(told_, {});
}

}  // namespace lockproof::real
