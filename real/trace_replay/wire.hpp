// SPDX-License-Identifier: Apache-2.0
// Wire: one connection to a server, used by one thread that waits for each answer.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/port/command.hpp"
#include "algorithms/port/pinned_object.hpp"
#include "real/os/descriptor.hpp"

namespace lockproof::real {

/// The other side has ended the connection, or does not answer.
class LostConnection : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[nodiscard]] std::string to_resp(const std::vector<Value>& words);
[[nodiscard]] Reply reply_of(std::string_view message);
/// The words of a command; empty if the message is not a command.
[[nodiscard]] std::vector<Value> words_of(std::string_view message);

class Wire : public PinnedObject {
 public:
  /// Connects to a port of 127.0.0.1. Throws LostConnection if the connection is refused.
  explicit Wire(int port);
  explicit Wire(Descriptor socket);

  /// The next three functions throw LostConnection.
  void send(std::string_view bytes);
  [[nodiscard]] std::string message();  // the next one, as it stands on the wire
  [[nodiscard]] std::string bytes(std::size_t count);
  [[nodiscard]] Reply ask(const std::vector<Value>& words);
  /// Sets how long it waits for a message.
  void set_time_allowed(int ms) { time_allowed_ms_ = ms; }

 private:
  void fill();
  Descriptor socket_;
  int time_allowed_ms_ = 5'000;
  std::string held_;
};

/// Accepts connections.
class Listener : public PinnedObject {
 public:
  Listener();  // on a free port of 127.0.0.1; throws BadEnvironment
  [[nodiscard]] int port() const { return port_; }
  [[nodiscard]] Descriptor accept();  // throws LostConnection if no connection comes

 private:
  Descriptor socket_;
  int port_ = 0;
};

}  // namespace lockproof::real
