// SPDX-License-Identifier: Apache-2.0
#include "real/client/socket_store.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <deque>
#include <string>

#include "real/client/remote_store_parts.hpp"
#include "real/network/proxy.hpp"
#include "real/os/descriptor.hpp"

namespace lockproof::real {
namespace {

constexpr std::size_t reply_most = std::size_t{1} << 20;  // bytes; a server that answers without end is left

/// Starts to connect; a closed descriptor: it is impossible.
Descriptor begin_to_connect(const Endpoint& endpoint) {
  sockaddr_in internet{};
  sockaddr_un local{};
  const sockaddr* address = reinterpret_cast<const sockaddr*>(&local);
  socklen_t size = sizeof local;
  if (endpoint.port != 0) {
    internet.sin_family = AF_INET;
    internet.sin_port = htons(static_cast<std::uint16_t>(endpoint.port));
    if (::inet_pton(AF_INET, endpoint.address.c_str(), &internet.sin_addr) != 1) return {};
    address = reinterpret_cast<const sockaddr*>(&internet);
    size = sizeof internet;
  } else {
    local.sun_family = AF_UNIX;
    if (endpoint.address.size() >= sizeof local.sun_path) return {};
    endpoint.address.copy(local.sun_path, endpoint.address.size());
  }
  Descriptor socket(::socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.open()) return {};
  if (::connect(socket.get(), address, size) != 0 && errno != EINPROGRESS) return {};
  const int at_once = 1;
  if (endpoint.port != 0) ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
  return socket;
}

}  // namespace

struct SocketStore::Link {
  Link(EventLoop& loop, Descriptor to, SocketStore& store)
      : socket(std::move(to)),
        watch(loop, socket.get(), [&store](EventLoop::Watch::Readiness ready) { store.see(ready); }) {}
  Descriptor socket;
  EventLoop::Watch watch;
  bool established = false;
  std::string unread, leaving;
  std::deque<std::unique_ptr<Operation>> operations;  // null: the greeting
};

SocketStore::SocketStore(EventLoop& loop, Route route, CallTimeouts timeouts, Witness& witness, const Codec& codec)
    : RemoteStore(loop, std::move(route), timeouts, witness), codec_(codec) {}

SocketStore::~SocketStore() { close(); }

bool SocketStore::established() const { return link_ && link_->established; }

int SocketStore::connect() {
  if (!sees_) ended_.reset();
  Descriptor socket = begin_to_connect(route().endpoint);
  if (!socket.open()) return 0;
  link_ = std::make_unique<Link>(loop_, std::move(socket), *this);
  if (greeting()) {
    link_->leaving = codec_.encode(*greeting());
    link_->operations.push_back(nullptr);
  }
  link_->watch.want(true, true);
  return own_port(link_->socket.get());
}

/// Sends now and not in the next turn if the connection is established: a stop after this point must not hold it back.
bool SocketStore::put(std::unique_ptr<Operation> operation) {
  link_->leaving += encode(operation->command);
  link_->operations.push_back(std::move(operation));
  if (link_->established) write();
  return true;
}

void SocketStore::see(EventLoop::Watch::Readiness ready) {
  const Link* const seen = link_.get();
  if (!seen) return;
  sees_ = true;
  if (!link_->established && (ready.writable || ready.failed)) {
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(link_->socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    link_->established = error == 0;
    if (error != 0) lost();
  }
  if (link_.get() == seen && link_->established && (ready.readable || ready.failed)) read();
  if (link_.get() == seen && link_->established) write();
  sees_ = false;
}

void SocketStore::read() {
  char bytes[16384];
  const auto count = ::recv(link_->socket.get(), bytes, sizeof bytes, MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) return lost();
  link_->unread.append(bytes, static_cast<std::size_t>(count));
  take_replies();
}

/// A reply without a request is discarded.
void SocketStore::take_replies() {
  const Link* const seen = link_.get();
  while (link_.get() == seen) {
    const std::size_t size = codec_.size(link_->unread);
    if (size == 0) break;
    const std::string message = link_->unread.substr(0, size);
    link_->unread.erase(0, size);
    if (takes(message) || link_->operations.empty()) continue;
    std::unique_ptr<Operation> operation = std::move(link_->operations.front());
    link_->operations.pop_front();
    if (!operation) continue;
    Reply reply = reply_to(operation->command, message);
    answered(std::move(operation), std::move(reply));
  }
  if (link_.get() == seen && link_->unread.size() > reply_most) lost();
}

void SocketStore::answer_all(const Reply& reply) {
  if (!link_) return;
  for (auto operations = std::exchange(link_->operations, {}); auto& operation : operations) {
    if (operation) answered(std::move(operation), reply);
  }
}

void SocketStore::write() {
  while (!link_->leaving.empty()) {
    const auto count =
        ::send(link_->socket.get(), link_->leaving.data(), link_->leaving.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) break;
    if (count < 0) link_->leaving.clear();  // the server is gone, as reading will tell
    if (count > 0) link_->leaving.erase(0, static_cast<std::size_t>(count));
  }
  link_->watch.want(true, !link_->leaving.empty());
}

/// The connection has ended without our closing it, or was never established.
void SocketStore::lost() {
  const bool was_established = link_->established;
  turn();
  let_go();
  if (was_established) witness_.broken(route().server);
}

void SocketStore::close() {
  let_go();
  if (!sees_) ended_.reset();
}

void SocketStore::let_go() {
  if (!link_) return;
  ended_ = std::move(link_);
  ended_->watch.want(false, false);
  ::shutdown(ended_->socket.get(), SHUT_RDWR);
  abandon(*ended_);
}

void SocketStore::abandon(Link& link) {
  for (auto operations = std::exchange(link.operations, {}); auto& operation : operations) {
    if (operation) unanswered(std::move(operation), link.established);
  }
}

}  // namespace lockproof::real
