// SPDX-License-Identifier: Apache-2.0
// SocketStore: the port Store on a server whose protocol a Codec writes and reads, over a socket of our own. Replies
// come in the order of their requests. A protocol whose messages depend on what a connection has carried before derives
// a store of its own.
#pragma once

#include <memory>
#include <string>

#include "real/client/remote_store.hpp"
#include "real/network/framing.hpp"

namespace lockproof::real {

class SocketStore : public RemoteStore {
 public:
  /// `codec` must outlive it.
  SocketStore(EventLoop& loop, Route route, CallTimeouts timeouts, Witness& witness, const Codec& codec);
  ~SocketStore() override;

  [[nodiscard]] bool established() const override;

 protected:
  int connect() override;
  void close() override;
  [[nodiscard]] bool connected() const override { return link_ != nullptr; }
  /// What leaves for this command.
  virtual std::string encode(const Command& command) { return codec_.encode(command); }
  virtual Reply reply_to(const Command& command, const std::string& message) { return codec_.reply(command, message); }
  /// Takes a message that answers no command. False: it answers one. It may close the connection.
  virtual bool takes(const std::string& /*message*/) { return false; }
  /// Answers all commands on the connection so.
  void answer_all(const Reply& reply);

 private:
  struct Link;

  bool put(std::unique_ptr<Operation> operation) override;
  void see(EventLoop::Watch::Readiness ready);
  void read();
  void take_replies();
  void write();
  void lost();
  void let_go();
  void abandon(Link& link);

  const Codec& codec_;
  std::unique_ptr<Link> link_;   // null while there is no connection
  std::unique_ptr<Link> ended_;  // the previous link, which may be running a callback
  bool sees_ = false;            // whether a callback is running
};

}  // namespace lockproof::real
