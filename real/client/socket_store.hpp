// SPDX-License-Identifier: Apache-2.0
// SocketStore: the port Store on a server whose protocol a Codec writes and reads, over a socket of our own. Replies
// come in the order of their requests.
#pragma once

#include <memory>

#include "real/client/remote_store.hpp"
#include "real/network/framing.hpp"

namespace lockproof::real {

class SocketStore final : public RemoteStore {
 public:
  /// `codec` must outlive it.
  SocketStore(EventLoop& loop, Route route, CallTimeouts timeouts, Witness& witness, const Codec& codec);
  ~SocketStore() override;

  [[nodiscard]] bool established() const override;

 private:
  struct Link;

  int connect() override;
  [[nodiscard]] bool connected() const override { return link_ != nullptr; }
  bool put(std::unique_ptr<Operation> operation) override;
  void close() override;
  void see(EventLoop::Watch::Ready ready);
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
