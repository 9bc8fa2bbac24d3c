// SPDX-License-Identifier: Apache-2.0
// PqStore: the port Store on a real PostgreSQL, over libpq's asynchronous interface, in pipeline mode: a command is
// sent at once even if an earlier one has not been answered. libpq reads no clock there; time-outs are RemoteStore's.
// Its pool can hand out another connection and keep the old one open.
#pragma once

#include <memory>
#include <vector>

#include "real/client/remote_store.hpp"

namespace lockproof::real {

class PqStore final : public RemoteStore {
 public:
  PqStore(EventLoop& loop, Route route, CallTimeouts timeouts, Witness& witness);
  ~PqStore() override;

  [[nodiscard]] bool established() const override;

 private:
  struct Link;

  int connect() override;
  [[nodiscard]] bool connected() const override { return link_ != nullptr; }
  /// The message with which a connection begins.
  [[nodiscard]] int introductions(const Command& /*first*/) const override { return 1; }
  bool put(std::unique_ptr<Operation> operation) override;
  void close() override;
  bool set_aside() override;
  void see();
  void go_on_connecting();
  void send(Link& link, const Command& command);
  void read();
  void flush();
  void lost();
  void let_go();

  std::unique_ptr<Link> link_;               // null while there is no connection
  std::unique_ptr<Link> ended_;              // the previous link, which may be running a callback
  std::vector<std::unique_ptr<Link>> idle_;  // open, and never used again
  bool sees_ = false;                        // whether a callback is running
};

}  // namespace lockproof::real
