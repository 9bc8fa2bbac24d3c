// SPDX-License-Identifier: Apache-2.0
// Connections: the network of a traced world. A TCP socket of a program is a Unix socket, and the world holds the other
// end of each: so what is readable when is the kernel's answer, and never depends on the machine's time. What one
// thread wrote between two waits is one message. Opening, answering and closing are messages, too.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "real/os/descriptor.hpp"
#include "tracer/log.hpp"
#include "tracer/nanos.hpp"

namespace lockproof::tracer {

/// An address as a program gave it, without its host.
struct Endpoint {
  int family = AF_INET;
  int port = 0;
};

struct Message {
  enum class Kind : std::uint8_t { open, answer, refusal, bytes, close, reset };
  Nanos at = 0;
  std::uint64_t sequence = 0;
  std::size_t connection = 0;
  int direction = 0;  // 0: from who connected
  Kind kind = Kind::bytes;
  std::string bytes{};
  bool operator<(const Message& other) const { return at != other.at ? at < other.at : sequence < other.sequence; }
};

struct Connection {
  enum class State : std::uint8_t { opening, open, refused };
  State state = State::opening;
  std::array<real::Descriptor, 2> ends;  // of the world: to who connected, and to who accepted
  std::array<int, 2> hosts{-1, -1};
  Endpoint to;
  int from_port = 0;
  std::array<bool, 2> closed{}, muted{};  // by direction: its end was taken up; nothing more passes
  std::array<Nanos, 2> last{};            // delivery of the message before
  std::array<std::string, 2> backlog;     // delivered, but the receiver's buffer is full
  std::size_t filler = 0;                 // bytes that keep it from being writable until it is open
  bool error_is_reported = false;
};

class Connections {
 public:
  Connections(Log& log, Nanos latency);

  /// The name of a Unix socket that stands for a TCP one. `role`: 'l' listens, 'c' connected, 'a' accepted. `copy`: of
  /// several sockets that are bound to one port.
  static socklen_t name_socket(sockaddr_un& name, char role, const Endpoint& endpoint, int copy = 0);
  /// False: the socket is not one of ours. `connection` is its port, without one 0.
  static bool parse_name(const sockaddr_un& name, socklen_t size, char& role, Endpoint& endpoint);

  [[nodiscard]] int take_port() { return next_port_++; }
  /// `socket`: a copy of the program's, which will listen there, or connect from there. 0, or a negative errno.
  int bind_listener(int socket, const Endpoint& to);
  /// Nobody listens at the port of this socket, until it is said again that somebody does. Who waits there is refused.
  void stop_listening(int socket);
  void listen_again(int socket);
  /// Who connects from this port is to be seen at this address of 127.0.0.0/8.
  void set_address(int port, std::uint32_t address) { addresses_[port] = address; }
  [[nodiscard]] std::uint32_t address_of(int port) const;
  /// As the kernel's file of all connections shows them, for this user.
  [[nodiscard]] std::string table_for(unsigned user) const;
  /// `socket`: a copy of the program's. 0, or a negative errno.
  int connect(int socket, int host, const Endpoint& to, Nanos now);
  /// Of who connected from this port; null: there is none.
  [[nodiscard]] Connection* from_port(int port);
  /// Takes up what programs have written or closed since the last call.
  void take_sent(Nanos now);
  [[nodiscard]] bool empty() const { return messages_.empty(); }
  [[nodiscard]] const Message& first() const { return *messages_.begin(); }
  [[nodiscard]] Message take_first();
  void deliver(const Message& message, Nanos now, const std::function<int(pid_t)>& host_of);
  [[nodiscard]] Connection& at(std::size_t index) { return connections_[index]; }
  /// What is under way from this host, and all that it has written, is lost.
  void mute_host(int host);
  void mute(std::size_t connection, int direction);
  [[nodiscard]] std::size_t size() const { return connections_.size(); }
  [[nodiscard]] std::uint64_t sent() const { return sent_; }

 private:
  int bind_caller(int socket, int family);
  [[nodiscard]] static int port_of(int socket);
  void send(std::size_t connection, int direction, Message::Kind kind, std::string bytes, Nanos now);
  void watch(std::size_t connection, int direction);
  void take_from(std::size_t connection, int direction, Nanos now);
  void open(const Message& message, Nanos now, const std::function<int(pid_t)>& host_of);
  void answer(Connection& connection);
  void refuse(Connection& connection);
  void pass_backlog(Connection& connection, std::size_t side);

  Log& log_;
  const Nanos latency_;
  bool connect_to_listener(int socket, const Endpoint& to) const;

  int next_port_ = 49152;
  std::map<int, int> copies_;               // by port: of sockets that were bound to it while another one was
  std::set<int> silent_;                    // ports at which sockets no longer listen
  std::map<int, std::uint32_t> addresses_;  // by port: of sockets that were bound to another one than 127.0.0.1
  std::uint64_t next_sequence_ = 0, sent_ = 0;
  real::Descriptor door_, watch_;
  std::deque<Connection> connections_;
  std::set<Message> messages_;
};

}  // namespace lockproof::tracer
