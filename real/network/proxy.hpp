// SPDX-License-Identifier: Apache-2.0
// Proxy: stands between the clients and the servers, and between replicas and their masters, when a scenario has faults
// that only the network can make. It carries bytes in order; it holds, delays or swallows whole messages, and closes
// connections. One listening port for each pair of hosts, so that it knows who talks to whom. Not thread-safe; all
// calls from the loop's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/port/command.hpp"
#include "algorithms/port/pinned.hpp"
#include "harness/history/event.hpp"
#include "real/network/event_loop.hpp"
#include "real/network/framing.hpp"
#include "real/os/descriptor.hpp"

namespace lockproof::real {

class ProxyLeg;

class Proxy : public Pinned {
 public:
  /// A message at the proxy. Of a reply: the command that it answers.
  struct Message {
    harness::HostIndex client, server;
    int port;    // of the client's end
    int number;  // on this connection, from 1
    bool reply;
    const Command& command;
  };
  struct Observer {
    std::function<void(const Message&)> passes;   // about to be passed on; faults may strike in here
    std::function<void(const Message&)> dropped;  // swallowed
    /// A reply has come from the server, and which; it may be passed on later, or never.
    std::function<void(const Message&, std::string_view reply)> answered{};
  };
  /// A connection to the server, on behalf of a client whose end has this port (0: of one of several who share the
  /// server's address); closed: refused.
  using Dial = std::function<Descriptor(int port)>;
  /// Who may call, by the address that it calls from.
  struct Caller {
    harness::HostIndex host;
    bool raw;  // not the protocol of requests and replies (a replica's link): bytes, not messages
  };
  using Callers = std::map<std::string, Caller>;

  /// `framing` must outlive it.
  explicit Proxy(const Framing& framing);
  ~Proxy();

  /// Messages with this server are divided otherwise. `framing` must outlive the proxy.
  void divide(harness::HostIndex server, const Framing& framing) { framings_[server] = &framing; }

  /// Listens for `client`'s connections to `server`. Answers the port. `raw`: as in Caller. Throws BadEnvironment.
  int listen(harness::HostIndex client, harness::HostIndex server, Dial dial, bool raw = false);
  /// One port for several hosts: the server's address, where they tell each other of it.
  int listen(Callers callers, harness::HostIndex server, Dial dial);
  /// Who may connect at all; by default everybody on this machine.
  void let_in(std::function<bool(int socket)> whom) { let_in_ = std::move(whom); }
  /// In a forked child: lets go of what it inherited.
  void disown();
  void attach(EventLoop& loop, Observer observer);

  // Faults, by the connection of a client's end.
  void drop_from(harness::HostIndex server, int port, bool reply, int number);
  void delay(harness::HostIndex server, int port, bool reply, int number, std::int64_t by_ns);
  /// Holds, or no longer holds, all that goes from one host to another. Counted. What goes on does so in the order in
  /// which it came, connection by connection, when all is done that is done now.
  void hold(harness::HostIndex from, harness::HostIndex to, bool on);
  /// From now on what a server answers to a host takes so much longer. It stays in order.
  void lag(harness::HostIndex server, harness::HostIndex client, std::int64_t by_ns) {
    lags_[{server, client}] = by_ns;
  }
  /// Ends all connections between the two: both sides notice. What waits here is lost.
  void cut(harness::HostIndex client, harness::HostIndex server);
  /// The client's end of these connections is gone, and it notices; what it had sent goes on.
  void end_at_client(harness::HostIndex client, harness::HostIndex server);
  /// The server's end of them is gone, or of all of its connections. What was on its way there is lost; what it had
  /// sent goes on, and the news that it is gone comes behind that.
  void end_at_server(harness::HostIndex client, harness::HostIndex server);
  void end_at_server(harness::HostIndex server);
  /// Whether anything that a host below this one has sent is still here.
  [[nodiscard]] bool holds_requests_of(harness::HostIndex below) const;
  /// Whether new connections to the server are let in; otherwise they are refused.
  void admit(harness::HostIndex server, bool on);

  /// The port of the proxy's own end of each connection to a server, by the client's.
  [[nodiscard]] const std::map<std::pair<harness::HostIndex, int>, int>& upstream_ports() const { return upstream_; }

 private:
  class Connection;
  struct Listener;

  int listen(std::unique_ptr<Listener> listener);
  void accept(Listener& listener);
  void connect(Listener& listener, const Caller& caller, Descriptor near);
  void arrange(Listener& listener);
  [[nodiscard]] bool is_cut_off(const Listener& listener) const;
  [[nodiscard]] Connection* find(harness::HostIndex server, int port);
  [[nodiscard]] bool holds(harness::HostIndex from, harness::HostIndex to) const;
  [[nodiscard]] std::int64_t lag_of(const ProxyLeg& leg) const;
  [[nodiscard]] const Framing& framing_of(harness::HostIndex server) const;
  void sweep();
  void release();

  const Framing& framing_;
  std::map<harness::HostIndex, const Framing*> framings_;  // of servers that speak another protocol
  EventLoop* loop_ = nullptr;
  Observer observer_;
  std::function<bool(int)> let_in_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::map<std::pair<harness::HostIndex, harness::HostIndex>, int> holds_;
  std::map<std::pair<harness::HostIndex, harness::HostIndex>, std::int64_t> lags_;
  std::map<std::pair<harness::HostIndex, int>, int> upstream_;
  std::unique_ptr<EventLoop::Timer> sweeper_, releaser_;
  std::uint64_t arrivals_ = 0;
};

/// Connects to a port of 127.0.0.1.
[[nodiscard]] Descriptor dial_port(int port);
/// The port of the socket's own end; 0: it has none.
[[nodiscard]] int own_port(int socket);

}  // namespace lockproof::real
