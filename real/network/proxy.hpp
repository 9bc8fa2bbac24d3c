// SPDX-License-Identifier: Apache-2.0
// Proxy: stands between the clients and the servers, and between replicas and their masters, when a scenario has faults
// that only the network can cause. It carries bytes in order; it holds, delays or swallows whole messages, and closes
// connections. Each pair of hosts has a listening port of its own, which identifies the two. Not thread-safe; all calls
// from the loop's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/port/command.hpp"
#include "algorithms/port/pinned_object.hpp"
#include "harness/history/event.hpp"
#include "real/network/event_loop.hpp"
#include "real/network/framing.hpp"
#include "real/os/descriptor.hpp"

namespace lockproof::real {

class ProxyLeg;

class Proxy : public PinnedObject {
 public:
  /// A message at the proxy. `command` is, for a reply, the command that it answers.
  struct Message {
    harness::HostIndex client, server;
    int port;    // the port of the client's end
    int number;  // on this connection, from 1
    bool reply;
    const Command& command;
  };
  struct Observer {
    std::function<void(const Message&)> passes;   // about to be passed on; faults may strike in here
    std::function<void(const Message&)> dropped;  // swallowed
    /// A reply, given in full, has come from the server; it may be passed on later, or never.
    std::function<void(const Message&, std::string_view reply)> answered{};
    /// Whether the event of a request may happen now, and whether a message may leave now; else the proxy asks again
    /// after `resume`.
    std::function<bool(const Message&)> may_happen{}, may_leave{};
    /// A server has ended its end of the connection with this port of the client's; or we have ended both.
    std::function<void(harness::HostIndex client, harness::HostIndex server, int port)> ended{};
  };
  /// Connects to the server for a client whose end has this port (0: one of several clients that share the server's
  /// address); a closed descriptor: refused.
  using Dial = std::function<Descriptor(int port)>;
  /// A host that may connect, found by the address that it connects from.
  struct Caller {
    harness::HostIndex host;
    bool raw;  // not the protocol of requests and replies (a replica's link): bytes, not messages
  };
  using Callers = std::map<std::string, Caller>;

  /// `framing` must outlive it.
  explicit Proxy(const Framing& framing);
  ~Proxy();

  /// Divides messages with this server by another framing. `framing` must outlive the proxy.
  void divide(harness::HostIndex server, const Framing& framing) { framings_[server] = &framing; }

  /// Listens for `client`'s connections to `server`. Returns the port. `raw`: as in Caller. Throws BadEnvironment.
  int listen(harness::HostIndex client, harness::HostIndex server, Dial dial, bool raw = false);
  /// One port for several hosts, which use it as the server's address among themselves.
  int listen(Callers callers, harness::HostIndex server, Dial dial);
  /// Restricts which connections of clients are accepted; by default all from this machine are. Those between servers,
  /// which may belong to another user, are not restricted.
  void let_in(std::function<bool(int socket)> whom) { let_in_ = std::move(whom); }
  /// In a forked child: releases what it inherited.
  void disown();
  void attach(EventLoop& loop, Observer observer);

  // Faults, by the connection of a client's end.
  void drop_from(harness::HostIndex server, int port, bool reply, int number);  // and the connection's end as well
  void drop_unsent(harness::HostIndex server, int port, int number);            // requests; its end does arrive
  void delay(harness::HostIndex server, int port, bool reply, int number, std::int64_t by_ns);
  /// A message that was delayed goes on now.
  void hasten(harness::HostIndex server, int port, bool reply, int number);
  /// Holds, or no longer holds, all that goes from one host to another. Holds are counted. Released messages go on in
  /// their order of arrival, connection by connection, after the current callbacks.
  void hold(harness::HostIndex from, harness::HostIndex to, bool on);
  /// Delays all replies of a server to a host by this much from now on. They stay in order.
  void lag(harness::HostIndex server, harness::HostIndex client, std::int64_t by_ns) {
    lags_[{server, client}] = by_ns;
  }
  /// Ends all connections between the two: both sides notice. What waits here is lost.
  void cut(harness::HostIndex client, harness::HostIndex server);
  /// Keeps the connections of the two that are open now, as a pool does: the server does not learn when the client ends
  /// its end.
  void keep(harness::HostIndex client, harness::HostIndex server);
  /// Ends the client's end of these connections, and the client notices; what it had sent goes on.
  void end_at_client(harness::HostIndex client, harness::HostIndex server);
  /// Ends the server's end of them, or of all of its connections. Messages in flight to the server are lost; what it
  /// had sent goes on, and the end of the connection follows it.
  void end_at_server(harness::HostIndex client, harness::HostIndex server);
  void end_at_server(harness::HostIndex server);
  /// Asks again whether what waits may happen or leave, after the current callbacks.
  void resume() { releaser_->set(0); }
  /// Whether a connection of this client's end is there.
  [[nodiscard]] bool connected(harness::HostIndex server, int port) { return find(server, port) != nullptr; }
  /// Whether the proxy still holds anything sent by a host with an index below this one.
  [[nodiscard]] bool holds_requests_of(harness::HostIndex below) const;
  /// From now on the client's new connections to the old server are made to the other one, over this way. False: they
  /// were before.
  bool lead(harness::HostIndex client, harness::HostIndex old, harness::HostIndex to, Dial dial);
  /// Sets whether new connections to the server are accepted; otherwise they are refused.
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
  std::map<harness::HostIndex, const Framing*> framings_;  // for servers that speak another protocol
  EventLoop* loop_ = nullptr;
  Observer observer_;
  std::function<bool(int)> let_in_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::map<std::pair<harness::HostIndex, harness::HostIndex>, int> holds_;
  std::map<std::pair<harness::HostIndex, harness::HostIndex>, std::int64_t> lags_;
  std::map<std::pair<harness::HostIndex, int>, int> upstream_;
  std::set<harness::HostIndex> refuse_;  // servers
  std::unique_ptr<EventLoop::Timer> sweeper_, releaser_;
  std::uint64_t arrivals_ = 0;
};

/// Connects to a port of 127.0.0.1.
[[nodiscard]] Descriptor dial_port(int port);
/// The port of the socket's local end; 0: it has none.
[[nodiscard]] int own_port(int socket);

}  // namespace lockproof::real
