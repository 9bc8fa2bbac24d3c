// SPDX-License-Identifier: Apache-2.0
// Proxy::Connection: one connection through the proxy: the client's end, the server's end, and a leg each way. When the
// client leaves, what it had sent still goes to the server; when the server leaves, its last replies still come.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "real/network/proxy.hpp"
#include "real/network/proxy_leg.hpp"

namespace lockproof::real {

class Proxy::Connection : public PinnedObject {
 public:
  Connection(Proxy& proxy, const Caller& from, harness::HostIndex server, int port_of_client, Descriptor near,
             Descriptor far);
  /// Passes on all messages that may be passed on. Faults that strike in here may end this connection.
  void advance();
  /// The arrival number of the first message that waits here; if none waits, the greatest number.
  [[nodiscard]] std::uint64_t first_arrival() const;
  /// Closes both ends at once.
  void cut();
  /// One of the ends has ended: see Proxy.
  void end_at_client();
  void end_at_server();

  ProxyLeg requests, replies;
  const int port;     // the client's end; 0: one of several clients that share a port
  bool dead = false;  // to be removed

 private:
  void read(Descriptor& socket, ProxyLeg& into);
  void split(ProxyLeg& leg);
  void advance(ProxyLeg& leg, Descriptor& out);
  void pass(ProxyLeg& leg, bool reply);
  void write(ProxyLeg& leg, Descriptor& out);
  void want();
  [[nodiscard]] Proxy::Message message(const ProxyLeg::HeldMessage& held, bool reply) const;

  Proxy& proxy_;
  const std::unique_ptr<Framing> own_framing_;  // null: it needs none of its own
  const Framing& framing_;
  const bool raw_;
  void say_ended();
  bool client_gone_ = false, advancing_ = false, said_ended_ = false;
  bool announces_reply_ = false;  // the event of the command that it answers is being handled
  std::deque<Command> unanswered_;
  Descriptor near_, far_;  // to the client, to the server
  EventLoop::Watch watch_near_, watch_far_;
  EventLoop::Timer timer_;
};

struct Proxy::Listener {
  Caller caller;
  Callers callers;  // if not empty, these replace the single client
  harness::HostIndex server;
  Dial dial;
  int port;
  Descriptor socket;
  bool open = true;
  std::unique_ptr<EventLoop::Watch> watch{};  // null: connections are refused
  std::vector<Descriptor> unanswered{};       // connections made while it was not open and its server was cut off
};

}  // namespace lockproof::real
