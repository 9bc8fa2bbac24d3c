// SPDX-License-Identifier: Apache-2.0
#include "tracer/connections.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

namespace lockproof::tracer {
namespace {

constexpr std::string_view prefix = "lockproof:";
constexpr Nanos retry_after = 100 * microsecond;  // of an end behind bytes for which there is no room
constexpr Nanos reopen_after = second;            // where the queue of who listens is full, as TCP does
constexpr int most_events = 32;

sockaddr* plain(sockaddr_un& name) { return reinterpret_cast<sockaddr*>(&name); }

bool bind_to(int socket, char role, const Endpoint& endpoint, int copy = 0) {
  sockaddr_un name;
  const socklen_t size = Connections::name_socket(name, role, endpoint, copy);
  return bind(socket, plain(name), size) == 0;
}

bool connect_to(int socket, char role, const Endpoint& endpoint, int copy = 0) {
  sockaddr_un name;
  const socklen_t size = Connections::name_socket(name, role, endpoint, copy);
  return connect(socket, plain(name), size) == 0;
}

std::string printable(std::string_view bytes) {
  constexpr std::size_t most = 60;
  std::string text(bytes.substr(0, most));
  for (char& byte : text)
    if (byte < ' ' || byte > '~') byte = '.';
  return text;
}

}  // namespace

Connections::Connections(Log& log, Nanos latency)
    : log_(log), latency_(latency), door_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)),
      watch_(epoll_create1(EPOLL_CLOEXEC)) {
  constexpr int most_waiting = 64;
  bind_to(door_.get(), 'd', {});
  listen(door_.get(), most_waiting);
}

socklen_t Connections::name_socket(sockaddr_un& name, char role, const Endpoint& endpoint, int copy) {
  std::memset(&name, 0, sizeof name);
  name.sun_family = AF_UNIX;
  std::string text = fmt::format("{}{}{}:{}", prefix, role, endpoint.family == AF_INET6 ? 6 : 4, endpoint.port);
  if (copy > 0) text += fmt::format(":{}", copy);
  std::memcpy(name.sun_path + 1, text.data(), text.size());
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
}

bool Connections::parse_name(const sockaddr_un& name, socklen_t size, char& role, Endpoint& endpoint) {
  constexpr std::size_t before = offsetof(sockaddr_un, sun_path) + 1;
  if (name.sun_family != AF_UNIX || size <= before || name.sun_path[0] != 0) return false;
  const std::string text(name.sun_path + 1, size - before);
  if (!text.starts_with(prefix) || text.size() < prefix.size() + 4) return false;
  role = text[prefix.size()];
  endpoint.family = text[prefix.size() + 1] == '6' ? AF_INET6 : AF_INET;
  endpoint.port = std::stoi(text.substr(prefix.size() + 3));
  return true;
}

/// 0: it has none.
int Connections::port_of(int socket) {
  sockaddr_un name;
  socklen_t size = sizeof name;
  char role = 0;
  Endpoint own;
  if (getsockname(socket, plain(name), &size) != 0 || !parse_name(name, size, role, own)) return 0;
  return own.port;
}

/// The port that it connects from: its own, if it has been bound.
int Connections::bind_caller(int socket, int family) {
  if (const int own = port_of(socket)) return own;
  const int port = take_port();
  bind_to(socket, 'c', {family, port});
  return port;
}

/// A Unix socket that has been shut down never listens again; one of TCP does.
void Connections::stop_listening(int socket) {
  silent_.insert(port_of(socket));
  const int flags = fcntl(socket, F_GETFL);
  fcntl(socket, F_SETFL, flags | O_NONBLOCK);
  for (int waiting = 0; (waiting = accept4(socket, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) close(waiting);
  fcntl(socket, F_SETFL, flags);
}

void Connections::listen_again(int socket) { silent_.erase(port_of(socket)); }

std::uint32_t Connections::address_of(int port) const {
  const auto found = addresses_.find(port);
  return found == addresses_.end() ? INADDR_LOOPBACK : found->second;
}

int Connections::connect(int socket, int host, const Endpoint& to, Nanos now) {
  const int port = bind_caller(socket, to.family);
  const int flags = fcntl(socket, F_GETFL);
  fcntl(socket, F_SETFL, flags | O_NONBLOCK);
  const bool is_connected = connect_to(socket, 'd', {});
  const int error = errno;
  Connection connection;
  if (is_connected) {
    connection.ends[0] = real::Descriptor(accept4(door_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    const std::string filling(1 << 16, '\0');
    for (ssize_t count = 0; (count = ::send(socket, filling.data(), filling.size(), MSG_NOSIGNAL)) > 0;)
      connection.filler += static_cast<std::size_t>(count);
  }
  fcntl(socket, F_SETFL, flags);
  if (!is_connected) return -error;
  connection.hosts[0] = host;
  connection.to = to;
  connection.from_port = port;
  connections_.push_back(std::move(connection));
  log_.add(fmt::format("{} c{} h{} connects to {}", now, connections_.size() - 1, host, to.port));
  send(connections_.size() - 1, 0, Message::Kind::open, {}, now);
  return -EINPROGRESS;
}

Connection* Connections::from_port(int port) {
  const auto found = std::ranges::find(connections_, port, &Connection::from_port);
  return found == connections_.end() ? nullptr : &*found;
}

void Connections::send(std::size_t index, int direction, Message::Kind kind, std::string bytes, Nanos now) {
  Connection& connection = connections_[index];
  const auto side = static_cast<std::size_t>(direction);
  if (kind == Message::Kind::bytes) {
    log_.add(fmt::format("{} m{} c{} h{}>h{} {} bytes {:016x} {}", now, ++sent_, index, connection.hosts[side],
                         connection.hosts[1 - side], bytes.size(), digest_of(bytes), printable(bytes)));
  }
  if (connection.muted[side]) return;
  connection.last[side] = std::max(now + latency_, connection.last[side] + 1);
  messages_.insert({connection.last[side], ++next_sequence_, index, direction, kind, std::move(bytes)});
}

void Connections::watch(std::size_t index, int direction) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLRDHUP;
  event.data.u64 = index * 2 + static_cast<std::size_t>(direction);
  epoll_ctl(watch_.get(), EPOLL_CTL_ADD, connections_[index].ends[static_cast<std::size_t>(direction)].get(), &event);
}

/// In the order of connections: that of epoll is the order of wakes, which is the same, but nobody promises it.
void Connections::take_sent(Nanos now) {
  for (;;) {
    std::array<epoll_event, most_events> events;
    const int count = epoll_wait(watch_.get(), events.data(), most_events, 0);
    std::vector<std::uint64_t> places;
    for (int i = 0; i < count; ++i) places.push_back(events[static_cast<std::size_t>(i)].data.u64);
    std::ranges::sort(places);
    for (const std::uint64_t place : places) take_from(place / 2, static_cast<int>(place % 2), now);
    if (count < most_events) break;
  }
  for (Connection& connection : connections_) {
    for (std::size_t side = 0; side < 2; ++side)
      if (!connection.backlog[side].empty()) pass_backlog(connection, side);
  }
}

void Connections::take_from(std::size_t index, int direction, Nanos now) {
  const auto side = static_cast<std::size_t>(direction);
  const int end = connections_[index].ends[side].get();
  std::string bytes;
  char part[1 << 16];
  ssize_t count = 0;
  while ((count = read(end, part, sizeof part)) > 0) bytes.append(part, static_cast<std::size_t>(count));
  const bool is_closed = count == 0 || errno != EAGAIN;
  if (!bytes.empty()) send(index, direction, Message::Kind::bytes, std::move(bytes), now);
  if (!is_closed) return;
  epoll_ctl(watch_.get(), EPOLL_CTL_DEL, end, nullptr);
  connections_[index].closed[side] = true;
  log_.add(fmt::format("{} c{} h{} closes", now, index, connections_[index].hosts[side]));
  send(index, direction, count == 0 ? Message::Kind::close : Message::Kind::reset, {}, now);
}

Message Connections::take_first() { return std::move(messages_.extract(messages_.begin()).value()); }

void Connections::deliver(const Message& message, Nanos now, const std::function<int(pid_t)>& host_of) {
  Connection& connection = connections_[message.connection];
  const auto side = static_cast<std::size_t>(message.direction);
  const int to = connection.ends[1 - side].get();
  switch (message.kind) {
    case Message::Kind::open: return open(message, now, host_of);
    case Message::Kind::answer: watch(message.connection, 0); return answer(connection);
    case Message::Kind::refusal: return refuse(connection);
    case Message::Kind::bytes: connection.backlog[side] += message.bytes; return pass_backlog(connection, side);
    case Message::Kind::reset: shutdown(to, SHUT_RDWR); return;
    case Message::Kind::close: break;
  }
  if (connection.backlog[side].empty()) return void(shutdown(to, SHUT_WR));
  Message again = message;  // nothing follows it in its direction
  again.at = now + retry_after;
  messages_.insert(std::move(again));
}

/// Linux lets a second socket have the port as long as none of them listens, if they say so.
int Connections::bind_listener(int socket, const Endpoint& to) {
  if (bind_to(socket, 'l', to)) return 0;
  int reuses = 0;
  socklen_t size = sizeof reuses;
  getsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &reuses, &size);
  if (reuses == 0 || errno != EADDRINUSE) return -EADDRINUSE;
  return bind_to(socket, 'l', to, ++copies_[to.port]) ? 0 : -EADDRINUSE;
}

/// False: `errno` says why.
bool Connections::connect_to_listener(int socket, const Endpoint& to) const {
  errno = ECONNREFUSED;
  if (silent_.contains(to.port)) return false;
  const auto found = copies_.find(to.port);
  const int copies = found == copies_.end() ? 0 : found->second;
  for (const int family : {to.family, to.family == AF_INET ? AF_INET6 : AF_INET}) {
    for (int copy = 0; copy <= copies; ++copy) {
      if (connect_to(socket, 'l', {family, to.port}, copy)) return true;
      if (errno == EAGAIN) return false;
    }
  }
  return false;
}

std::string Connections::table_for(unsigned user) const {
  std::string table =
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";
  constexpr auto line = "   0: 0100007F:{:04X} 0100007F:{:04X} 01 00000000:00000000 00:00000000 00000000 {:5} 0 1\n";
  for (const Connection& connection : connections_) {
    table += fmt::format(line, connection.from_port, connection.to.port, user);
    table += fmt::format(line, connection.to.port, connection.from_port, user);
  }
  return table;
}

/// The queue of who listens is the kernel's; who listens there is what the kernel says of the socket's peer.
void Connections::open(const Message& message, Nanos now, const std::function<int(pid_t)>& host_of) {
  Connection& connection = connections_[message.connection];
  if (connection.muted[1]) return;
  real::Descriptor end(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  bind_to(end.get(), 'a', {connection.to.family, connection.from_port});
  const bool is_open = connect_to_listener(end.get(), connection.to);
  const bool is_full = !is_open && errno == EAGAIN;
  if (is_full) {
    Message again = message;
    again.at = now + reopen_after;
    again.sequence = ++next_sequence_;
    messages_.insert(std::move(again));
    return;
  }
  if (!is_open) return send(message.connection, 1, Message::Kind::refusal, {}, now);
  ucred peer{};
  socklen_t size = sizeof peer;
  getsockopt(end.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size);
  connection.hosts[1] = host_of(peer.pid);
  connection.ends[1] = std::move(end);
  send(message.connection, 1, Message::Kind::answer, {}, now);
  watch(message.connection, 1);
}

void Connections::answer(Connection& connection) {
  connection.state = Connection::State::open;
  char part[1 << 16];
  while (connection.filler > 0) {
    const ssize_t count = read(connection.ends[0].get(), part, std::min(sizeof part, connection.filler));
    if (count <= 0) break;
    connection.filler -= static_cast<std::size_t>(count);
  }
}

/// Bytes that nobody has read make the kernel tell the program of an error.
void Connections::refuse(Connection& connection) {
  connection.state = Connection::State::refused;
  connection.ends[0].close();
}

void Connections::pass_backlog(Connection& connection, std::size_t side) {
  std::string& bytes = connection.backlog[side];
  const ssize_t count =
      ::send(connection.ends[1 - side].get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (count < 0 && errno != EAGAIN) return bytes.clear();  // nobody reads it any more
  bytes.erase(0, static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
}

void Connections::mute_host(int host) {
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    for (int side = 0; side < 2; ++side) {
      if (connections_[i].hosts[static_cast<std::size_t>(side)] == host) mute(i, side);
    }
  }
}

void Connections::mute(std::size_t connection, int direction) {
  connections_[connection].muted[static_cast<std::size_t>(direction)] = true;
  std::erase_if(messages_, [&](const Message& message) {
    return message.connection == connection && message.direction == direction;
  });
}

}  // namespace lockproof::tracer
