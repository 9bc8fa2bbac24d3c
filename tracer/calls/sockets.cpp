// SPDX-License-Identifier: Apache-2.0
// TCP sockets, which are Unix sockets below (connections.hpp).
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "tracer/calls/handlers.hpp"
#include "tracer/waits.hpp"

namespace lockproof::tracer {
namespace {

/// Of options: TCP's, IP's, IPv6's.
bool is_of_protocol(std::uint64_t level) {
  return level == IPPROTO_TCP || level == IPPROTO_IP || level == IPPROTO_IPV6;
}

template <int option>
int option_of(int socket) {
  int value = 0;
  socklen_t size = sizeof value;
  getsockopt(socket, SOL_SOCKET, option, &value, &size);
  return value;
}

bool stands_for_tcp(const real::Descriptor& socket) {
  return socket.open() && option_of<SO_DOMAIN>(socket.get()) == AF_UNIX &&
         option_of<SO_TYPE>(socket.get()) == SOCK_STREAM;
}

/// Of IPv4, in 127.0.0.0/8; else 127.0.0.1.
std::uint32_t read_address(const Thread& thread, Address at, std::uint64_t size) {
  sockaddr_in address{};
  read_bytes(thread.tid, at, &address, std::min<std::uint64_t>(size, sizeof address));
  const std::uint32_t read = ntohl(address.sin_addr.s_addr);
  return address.sin_family == AF_INET && read >> 24 == IN_LOOPBACKNET ? read : INADDR_LOOPBACK;
}

std::optional<Endpoint> read_endpoint(const Thread& thread, Address at, std::uint64_t size) {
  sockaddr_in6 address{};
  read_bytes(thread.tid, at, &address, std::min<std::uint64_t>(size, sizeof address));
  if (address.sin6_family != AF_INET && address.sin6_family != AF_INET6) return std::nullopt;
  return Endpoint{address.sin6_family, ntohs(address.sin6_port)};  // at the same place in both
}

/// `size_at`: where the program says how much it takes.
void write_endpoint(const TracedWorld& world, const Thread& thread, Address at, Address size_at,
                    const Endpoint& endpoint) {
  if (at == 0 || size_at == 0) return;
  const auto room = read_value<socklen_t>(thread.tid, size_at);
  sockaddr_in6 six{};
  sockaddr_in four{};
  six.sin6_family = AF_INET6;
  six.sin6_port = four.sin_port = htons(static_cast<std::uint16_t>(endpoint.port));
  four.sin_family = AF_INET;
  four.sin_addr.s_addr = htonl(world.connections().address_of(endpoint.port));
  constexpr std::array<unsigned char, 16> mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255};
  std::memcpy(&six.sin6_addr, mapped.data(), mapped.size());
  std::memcpy(six.sin6_addr.s6_addr + 12, &four.sin_addr, sizeof four.sin_addr);
  const bool is_six = endpoint.family == AF_INET6;
  const socklen_t size = is_six ? sizeof six : sizeof four;
  write_bytes(thread.tid, at, is_six ? static_cast<const void*>(&six) : &four, std::min(room, size));
  write_value(thread.tid, size_at, size);
}

/// The connection that a program has opened by this socket; null: none.
Connection* opened_by(TracedWorld& world, const real::Descriptor& socket) {
  sockaddr_un name{};
  socklen_t size = sizeof name;
  char role = 0;
  Endpoint own;
  if (getsockname(socket.get(), reinterpret_cast<sockaddr*>(&name), &size) != 0) return nullptr;
  if (!Connections::parse_name(name, size, role, own)) return nullptr;
  if (role != 'c' && role != 'l') return nullptr;
  return world.connections().from_port(own.port);
}

Outcome end_of_connect(Thread& thread, const Connection& connection) {
  switch (connection.state) {
    case Connection::State::open: return answer(thread, 0);
    case Connection::State::refused: return answer(thread, -ECONNREFUSED);
    case Connection::State::opening: return answer(thread, -ETIMEDOUT);  // by SO_SNDTIMEO
  }
  return answer(thread, -EBADF);
}

Outcome connect_again(TracedWorld& world, Thread& thread, const Connection& connection, int descriptor, bool may_wait) {
  if (thread.keeps_until) return end_of_connect(thread, connection);
  if (connection.state == Connection::State::open) return answer(thread, -EISCONN);
  if (connection.state == Connection::State::refused) return answer(thread, -ECONNREFUSED);
  const Outcome outcome = wait_to_transfer(world, thread, descriptor, POLLOUT, SO_SNDTIMEO, may_wait);
  return outcome == Outcome::passes ? answer(thread, -EALREADY) : outcome;
}

}  // namespace

Outcome serve_socket(TracedWorld& world, Thread& thread) {
  const std::uint64_t family = thread.registers.argument(0);
  constexpr std::uint64_t kinds = 15;
  if ((family != AF_INET && family != AF_INET6) || (thread.registers.argument(1) & kinds) != SOCK_STREAM)
    return Outcome::passes;
  ChangedCall changed(thread);
  changed.set(0, AF_UNIX);
  changed.set(2, 0);
  return changed.make(world) ? Outcome::decided : Outcome::ended;
}

/// A blocking one waits until it can be written, and is then served again, as every wait for a descriptor is.
Outcome serve_connect(TracedWorld& world, Thread& thread) {
  const Registers& registers = thread.registers;
  const auto descriptor = static_cast<int>(registers.argument(0));
  const std::optional<Endpoint> to = read_endpoint(thread, registers.argument(1), registers.argument(2));
  const real::Descriptor socket = copy_descriptor(*thread.process, descriptor);
  if (!to || !stands_for_tcp(socket)) return Outcome::passes;
  if (const Connection* before = opened_by(world, socket)) {
    return connect_again(world, thread, *before, descriptor, false);
  }
  const int error = world.connections().connect(socket.get(), thread.process->host, *to, world.now());
  if (error != -EINPROGRESS) return answer(thread, error);
  const Outcome outcome = wait_to_transfer(world, thread, descriptor, POLLOUT, SO_SNDTIMEO, true);
  return outcome == Outcome::passes ? answer(thread, -EINPROGRESS) : outcome;
}

Outcome serve_bind(TracedWorld& world, Thread& thread) {
  const Registers& registers = thread.registers;
  std::optional<Endpoint> at = read_endpoint(thread, registers.argument(1), registers.argument(2));
  const real::Descriptor socket = copy_descriptor(*thread.process, static_cast<int>(registers.argument(0)));
  if (!at || !stands_for_tcp(socket)) return Outcome::passes;
  if (at->port == 0) at->port = world.connections().take_port();
  const std::uint32_t address = read_address(thread, registers.argument(1), registers.argument(2));
  if (address != INADDR_LOOPBACK) world.connections().set_address(at->port, address);
  return answer(thread, world.connections().bind_listener(socket.get(), *at));
}

Outcome serve_listen(TracedWorld& world, Thread& thread) {
  const real::Descriptor socket = copy_descriptor(*thread.process, static_cast<int>(thread.registers.argument(0)));
  if (stands_for_tcp(socket)) world.connections().listen_again(socket.get());
  return Outcome::passes;
}

Outcome serve_shutdown(TracedWorld& world, Thread& thread) {
  const real::Descriptor socket = copy_descriptor(*thread.process, static_cast<int>(thread.registers.argument(0)));
  if (!stands_for_tcp(socket) || option_of<SO_ACCEPTCONN>(socket.get()) == 0) return Outcome::passes;
  world.connections().stop_listening(socket.get());
  return answer(thread, 0);
}

Outcome serve_accept(TracedWorld& world, Thread& thread) {
  const auto descriptor = static_cast<int>(thread.registers.argument(0));
  const Outcome wait = wait_to_transfer(world, thread, descriptor, POLLIN, SO_RCVTIMEO, true);
  if (wait != Outcome::passes) return wait;
  if (!stands_for_tcp(copy_descriptor(*thread.process, descriptor))) return Outcome::passes;
  const Address at = thread.registers.argument(1), size_at = thread.registers.argument(2);
  ChangedCall changed(thread);
  changed.set(1, 0);
  changed.set(2, 0);
  if (!changed.make(world)) return Outcome::ended;
  const real::Descriptor accepted = copy_descriptor(*thread.process, static_cast<int>(changed.result()));
  sockaddr_un name{};
  socklen_t size = sizeof name;
  char role = 0;
  Endpoint from;
  if (!accepted.open() || at == 0) return Outcome::decided;
  getpeername(accepted.get(), reinterpret_cast<sockaddr*>(&name), &size);
  if (Connections::parse_name(name, size, role, from)) {
    write_endpoint(world, thread, at, size_at, from);
  } else {  // a Unix socket of the program's own
    const auto room = read_value<socklen_t>(thread.tid, size_at);
    write_bytes(thread.tid, at, &name, std::min(room, size));
    write_value(thread.tid, size_at, size);
  }
  return Outcome::decided;
}

/// getsockname and getpeername.
Outcome serve_socket_name(TracedWorld& world, Thread& thread) {
  const Registers& registers = thread.registers;
  const real::Descriptor socket = copy_descriptor(*thread.process, static_cast<int>(registers.argument(0)));
  sockaddr_un name{};
  socklen_t size = sizeof name;
  char role = 0;
  Endpoint endpoint;
  const bool is_own = thread.call == SYS_getsockname;
  const auto ask = is_own ? getsockname : getpeername;
  if (!socket.open() || ask(socket.get(), reinterpret_cast<sockaddr*>(&name), &size) != 0) return Outcome::passes;
  if (!Connections::parse_name(name, size, role, endpoint)) return Outcome::passes;
  if (!is_own && role == 'd') {  // the world's own door: it is where the program has connected to
    const Connection* connection = opened_by(world, socket);
    if (connection && connection->state != Connection::State::open) return answer(thread, -ENOTCONN);
    if (connection) endpoint = connection->to;
  }
  write_endpoint(world, thread, registers.argument(1), registers.argument(2), endpoint);
  return answer(thread, 0);
}

Outcome serve_setsockopt(TracedWorld&, Thread& thread) {
  const Registers& registers = thread.registers;
  const bool of_port = registers.argument(1) == SOL_SOCKET && registers.argument(2) == SO_REUSEPORT;
  if (!of_port && !is_of_protocol(registers.argument(1))) return Outcome::passes;
  const bool ours = stands_for_tcp(copy_descriptor(*thread.process, static_cast<int>(registers.argument(0))));
  return ours ? answer(thread, 0) : Outcome::passes;
}

/// The error of a connection that was refused is told once.
Outcome serve_getsockopt(TracedWorld& world, Thread& thread) {
  const Registers& registers = thread.registers;
  const bool of_error = registers.argument(1) == SOL_SOCKET && registers.argument(2) == SO_ERROR;
  if (!of_error && !is_of_protocol(registers.argument(1))) return Outcome::passes;
  const real::Descriptor socket = copy_descriptor(*thread.process, static_cast<int>(registers.argument(0)));
  if (!stands_for_tcp(socket)) return Outcome::passes;
  int value = 0;
  if (of_error) {
    Connection* connection = opened_by(world, socket);
    if (!connection || connection->state == Connection::State::open) return Outcome::passes;
    if (connection->state == Connection::State::refused && !std::exchange(connection->error_is_reported, true))
      value = ECONNREFUSED;
  }
  write_value(thread.tid, registers.argument(3), value);
  return answer(thread, 0);
}

}  // namespace lockproof::tracer
