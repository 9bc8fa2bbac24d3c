// SPDX-License-Identifier: Apache-2.0
// ClientHandle: the supervisor's end of one client, which has a process of its own, or shares one with other clients:
// starts it, reads its lines, answers it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "real/client/client_link.hpp"
#include "real/client/client_setup.hpp"
#include "real/client/struck_client.hpp"
#include "real/network/event_loop.hpp"
#include "real/os/child_process.hpp"
#include "real/os/descriptor.hpp"
#include "real/os/janitor.hpp"

namespace lockproof::real {

class ClientHandle : public StruckClient, public PinnedObject {
 public:
  /// What the child runs; returns the exit status.
  using Body = std::function<int(const std::vector<ClientSetup>&)>;
  /// Whose events the child records.
  struct Member {
    ClientSetup setup;  // without its descriptors, which are filled in
    std::unique_ptr<Ledger> ledger;
  };
  /// Forks one process for these clients. `let_go` runs in the child, before its body: it closes what no process but
  /// the supervisor may keep open.
  [[nodiscard]] static std::vector<std::unique_ptr<ClientHandle>> start(std::vector<Member> members, Janitor& janitor,
                                                                        const std::function<void()>& let_go,
                                                                        const Body& body);

  /// `told` is called for each of its lines, and `ended` when the process has ended.
  void attach(EventLoop& loop, std::function<void(const Notice&)> told, std::function<void()> ended);
  /// Lets a client that waits for the supervisor go on.
  void answer() { order(Order::go_on, 0); }
  void order(Order order, std::size_t fault) override;
  /// Reads what a dead client has left in the pipe.
  void read_rest();

  [[nodiscard]] ChildProcess& process() override { return *process_; }
  /// Its records; to be read when it has ended.
  [[nodiscard]] const Ledger& ledger() const { return *ledger_; }
  [[nodiscard]] bool ended() const { return ended_; }

 private:
  explicit ClientHandle(std::unique_ptr<Ledger> ledger) : ledger_(std::move(ledger)) {}
  void read();
  void take_lines();

  std::unique_ptr<Ledger> ledger_;
  std::shared_ptr<ChildProcess> process_;  // with the other clients in it
  Descriptor from_client_;
  Descriptor to_client_;  // a socket: a dead client's must not raise SIGPIPE
  std::string unread_;
  std::function<void(const Notice&)> told_;
  std::function<void()> on_end_;
  bool ended_ = false;
  std::unique_ptr<EventLoop::Watch> watch_;
};

}  // namespace lockproof::real
