// SPDX-License-Identifier: Apache-2.0
// Resource: what the lock protects, a register with a version, served to the clients over a Unix socket, in the lines
// of LineCodec. READ answers the version; WRITE with a base version is accepted whatever the version is, and answers
// the new version: a write based on an old one is a lost update, and the checker finds it. With fencing it refuses an
// access whose token is older than one that it has seen.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/port/command.hpp"
#include "harness/scenario/scenario.hpp"
#include "harness/workload/register.hpp"
#include "real/network/event_loop.hpp"
#include "real/network/line_codec.hpp"
#include "real/os/descriptor.hpp"

namespace lockproof::real {

class Resource : public PinnedObject {
 public:
  /// A command that ran: its client, and its position on its connection.
  struct Access {
    pid_t client;
    int port;    // the client's end, if the proxy knows it; else 0
    int number;  // on this connection, from 1
    Command command;
    Reply reply;
  };
  /// Called for each access.
  using Sink = std::function<void(Access)>;

  /// Listens from now on; serves requests once it is attached. Throws BadEnvironment.
  Resource(std::string path, harness::Fencing fencing);
  ~Resource();
  void attach(EventLoop& loop, Sink sink);
  [[nodiscard]] const std::string& path() const { return path_; }
  /// Connects from this process on behalf of that client.
  [[nodiscard]] Descriptor connect(pid_t client, int port);
  /// Whether a received command has not been answered.
  [[nodiscard]] bool has_unread() const;

 private:
  class Connection;
  void accept_all();

  const std::string path_;
  harness::Register register_;
  Descriptor listener_;
  EventLoop* loop_ = nullptr;
  Sink sink_;
  std::unique_ptr<EventLoop::Watch> watch_;
  std::vector<std::unique_ptr<Connection>> connections_;
};

}  // namespace lockproof::real
