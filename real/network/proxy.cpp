// SPDX-License-Identifier: Apache-2.0
#include "real/network/proxy.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "real/clock/world_time.hpp"
#include "real/errors.hpp"
#include "real/network/proxy_connection.hpp"

namespace lockproof::real {
namespace {

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

Descriptor bound_to(int port) {
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const sockaddr_in address = loopback(port);
  const int yes = 1;
  const bool bound = socket.open() && ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
                     ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  if (!bound) {
    throw BadEnvironment(fmt::format("the proxy gets no port on 127.0.0.1: {}; is the limit of open files too low?",
                                     std::strerror(errno)));
  }
  return socket;
}

/// Bound but not listening: connections are refused, and no other process can take the port. It is bound to a port by
/// its number, since only so Linux leaves it the port when it stops listening.
Descriptor bound_socket() {
  const Descriptor finds = bound_to(0);
  return bound_to(own_port(finds.get()));
}

int peer_port(int socket) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  return address.sin_family == AF_INET ? ntohs(address.sin_port) : 0;
}

std::string peer_address(int socket) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  char text[INET_ADDRSTRLEN] = "";
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return {};
  if (address.sin_family != AF_INET || !::inet_ntop(AF_INET, &address.sin_addr, text, sizeof text)) return {};
  return text;
}

}  // namespace

int own_port(int socket) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  return address.sin_family == AF_INET ? ntohs(address.sin_port) : 0;
}

Descriptor dial_port(int port) {
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = loopback(port);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) socket.close();
  return socket;
}

Proxy::Proxy(const Framing& framing) : framing_(framing) {}
Proxy::~Proxy() = default;

int Proxy::listen(harness::HostIndex client, harness::HostIndex server, Dial dial, bool raw) {
  return listen(std::make_unique<Listener>(Listener{{client, raw}, {}, server, std::move(dial), 0, {}}));
}

int Proxy::listen(Callers callers, harness::HostIndex server, Dial dial) {
  const Caller nobody{harness::no_host, false};
  return listen(std::make_unique<Listener>(Listener{nobody, std::move(callers), server, std::move(dial), 0, {}}));
}

int Proxy::listen(std::unique_ptr<Listener> listener) {
  listener->socket = bound_socket();
  listener->port = own_port(listener->socket.get());
  if (::listen(listener->socket.get(), 64) != 0) throw BadEnvironment("the proxy cannot listen on its port");
  listeners_.push_back(std::move(listener));
  return listeners_.back()->port;
}

void Proxy::disown() {
  for (const auto& listener : listeners_) listener->socket.close();
}

void Proxy::attach(EventLoop& loop, Observer observer) {
  loop_ = &loop;
  observer_ = std::move(observer);
  sweeper_ = std::make_unique<EventLoop::Timer>(loop, [this] { sweep(); });
  releaser_ = std::make_unique<EventLoop::Timer>(loop, [this] { release(); });
  for (const auto& listener : listeners_) arrange(*listener);
}

void Proxy::accept(Listener& listener) {
  for (;;) {
    Descriptor near(::accept4(listener.socket.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!near.open()) return;
    if (let_in_ && !listener.caller.raw && !let_in_(near.get())) continue;
    const auto known = listener.callers.find(peer_address(near.get()));
    if (!listener.callers.empty() && known == listener.callers.end()) continue;
    if (!listener.open) {
      listener.unanswered.push_back(std::move(near));
    } else {
      connect(listener, listener.callers.empty() ? listener.caller : known->second, std::move(near));
    }
  }
}

void Proxy::connect(Listener& listener, const Caller& caller, Descriptor near) {
  const bool several = !listener.callers.empty();
  const int port = several ? 0 : peer_port(near.get());
  Descriptor far = listener.dial(port);
  if (!far.open()) return;  // closing it tells the client
  if (!several) upstream_[{listener.server, port}] = own_port(far.get());
  connections_.push_back(
      std::make_unique<Connection>(*this, caller, listener.server, port, std::move(near), std::move(far)));
}

/// A server whose messages are held refuses no connection: a new connection waits until the hold is over.
bool Proxy::is_cut_off(const Listener& listener) const {
  return holds(listener.caller.host, listener.server) || holds(listener.server, listener.caller.host);
}

/// Starts or stops listening, as the current faults require.
void Proxy::arrange(Listener& listener) {
  if (listener.open || !is_cut_off(listener)) {
    for (Descriptor& near : std::exchange(listener.unanswered, {})) {
      if (listener.open) connect(listener, listener.caller, std::move(near));
    }
  }
  const bool listens = listener.open || is_cut_off(listener);
  if (listens == (listener.watch != nullptr)) return;
  if (listens) {
    ::listen(listener.socket.get(), 64);
    listener.watch = std::make_unique<EventLoop::Watch>(
        *loop_, listener.socket.get(), [this, to = &listener](EventLoop::Watch::Readiness) { accept(*to); });
    listener.watch->want(true, false);
  } else {
    listener.watch.reset();
    ::shutdown(listener.socket.get(), SHUT_RDWR);  // not closed: a child that is just being started may have a copy
  }
}

void Proxy::sweep() {
  std::erase_if(connections_, [](const auto& connection) { return connection->dead; });
  if (observer_.may_leave) resume();  // one that has ended may have kept others from leaving
}

Proxy::Connection* Proxy::find(harness::HostIndex server, int port) {
  const auto found = std::ranges::find_if(connections_, [&](const auto& connection) {
    return !connection->dead && connection->requests.to == server && connection->port == port;
  });
  return found == connections_.end() ? nullptr : found->get();
}

bool Proxy::holds(harness::HostIndex from, harness::HostIndex to) const {
  const auto found = holds_.find({from, to});
  return found != holds_.end() && found->second > 0;
}

std::int64_t Proxy::lag_of(const ProxyLeg& leg) const {
  const auto found = lags_.find({leg.from, leg.to});
  return found == lags_.end() ? 0 : found->second;
}

const Framing& Proxy::framing_of(harness::HostIndex server) const {
  const auto found = framings_.find(server);
  return found == framings_.end() ? framing_ : *found->second;
}

void Proxy::drop_from(harness::HostIndex server, int port, bool reply, int number) {
  Connection* const connection = find(server, port);
  if (!connection) return;
  ProxyLeg& leg = reply ? connection->replies : connection->requests;
  leg.dead_from = std::min(leg.dead_from, number);
}

void Proxy::drop_unsent(harness::HostIndex server, int port, int number) {
  Connection* const connection = find(server, port);
  if (connection) connection->requests.unsent_from = std::min(connection->requests.unsent_from, number);
}

void Proxy::delay(harness::HostIndex server, int port, bool reply, int number, std::int64_t by_ns) {
  Connection* const connection = find(server, port);
  if (!connection) return;
  ProxyLeg& leg = reply ? connection->replies : connection->requests;
  leg.late.emplace_back(number, by_ns);
  for (ProxyLeg::HeldMessage& held : leg.held) {  // it may be here already
    if (held.number == number) held.not_before_ns = machine_ns() + by_ns;
  }
}

void Proxy::hasten(harness::HostIndex server, int port, bool reply, int number) {
  Connection* const connection = find(server, port);
  if (!connection) return;
  ProxyLeg& leg = reply ? connection->replies : connection->requests;
  std::erase_if(leg.late, [number](const auto& late) { return late.first == number; });
  for (ProxyLeg::HeldMessage& held : leg.held) {
    if (held.number == number) held.not_before_ns = 0;
  }
  resume();
}

void Proxy::hold(harness::HostIndex from, harness::HostIndex to, bool on) {
  holds_[{from, to}] += on ? 1 : -1;
  if (!on) releaser_->set(machine_ns());  // not from in here: of other hosts something may be released as well
  for (const auto& listener : listeners_) {
    if (!listener->open) arrange(*listener);
  }
}

/// A server that goes on reads its connections one after the other, in the order of their first messages.
void Proxy::release() {
  std::vector<Connection*> all;
  for (const auto& connection : connections_) all.push_back(connection.get());
  std::ranges::stable_sort(all, {}, &Connection::first_arrival);
  for (Connection* connection : all) connection->advance();
}

bool Proxy::holds_requests_of(harness::HostIndex below) const {
  return std::ranges::any_of(connections_, [&](const auto& connection) {
    const ProxyLeg& leg = connection->requests;
    return !connection->dead && leg.from < below && !(leg.held.empty() && leg.leaving.empty());
  });
}

void Proxy::cut(harness::HostIndex client, harness::HostIndex server) {
  for (const auto& connection : connections_) {
    if (connection->requests.from == client && connection->requests.to == server) connection->cut();
  }
}

void Proxy::keep(harness::HostIndex client, harness::HostIndex server) {
  for (const auto& connection : connections_) {
    if (connection->requests.from == client && connection->requests.to == server) connection->requests.kept = true;
  }
}

void Proxy::end_at_client(harness::HostIndex client, harness::HostIndex server) {
  for (const auto& connection : connections_) {
    if (connection->requests.from == client && connection->requests.to == server) connection->end_at_client();
  }
}

void Proxy::end_at_server(harness::HostIndex client, harness::HostIndex server) {
  for (const auto& connection : connections_) {
    if (connection->requests.from == client && connection->requests.to == server) connection->end_at_server();
  }
}

void Proxy::end_at_server(harness::HostIndex server) {
  for (const auto& connection : connections_) {
    if (connection->requests.to == server) connection->end_at_server();
  }
}

bool Proxy::lead(harness::HostIndex client, harness::HostIndex old, harness::HostIndex to, Dial dial) {
  bool turns = false;
  for (const auto& listener : listeners_) {
    if (listener->caller.host != client || listener->server != old) continue;
    listener->server = to;
    listener->dial = dial;
    listener->open = !refuse_.contains(to);
    arrange(*listener);
    turns = true;
  }
  return turns;
}

void Proxy::admit(harness::HostIndex server, bool on) {
  on ? static_cast<void>(refuse_.erase(server)) : static_cast<void>(refuse_.insert(server));
  for (const auto& listener : listeners_) {
    if (listener->server != server) continue;
    listener->open = on;
    arrange(*listener);
  }
}

}  // namespace lockproof::real
