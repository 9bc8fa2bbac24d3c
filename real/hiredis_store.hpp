// SPDX-License-Identifier: Apache-2.0
// HiredisStore and HiredisStores: the ports Store and Stores on real servers, over hiredis. One connection to each
// server; time-outs are our own, since hiredis 0.14 has none. A reply that comes after its call has ended finds nobody:
// an operation lives on the heap until hiredis lets go of it, and the frame that waited has taken its name off it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "algorithms/port/store.hpp"
#include "harness/scenario/scenario.hpp"
#include "real/event_loop.hpp"
#include "real/witness.hpp"

struct redisAsyncContext;

namespace lockproof::real {

struct Endpoint {
  std::string address;  // of 127.0.0.1, or a path
  int port = 0;         // 0: a Unix socket
};

/// What a store does when a reply is late.
struct Patience {
  Duration timeout;
  harness::OnTimeout on_timeout = harness::OnTimeout::reconnect;
  std::int64_t scale = 1;  // scenario microseconds per microsecond
};

class HiredisStore final : public Store {
 public:
  struct Operation;
  class Exchange;

  HiredisStore(EventLoop& loop, Endpoint endpoint, Patience patience, harness::HostIndex server, Witness& witness);
  ~HiredisStore() override;

  Task<Result<Reply>> call(Command command) override;
  /// Opens the connection if there is none. Commands may be sent before it is established.
  void open();
  [[nodiscard]] bool established() const;

 private:
  friend class HiredisStores;
  struct Slot;
  struct Callbacks;

  void send(Slot& slot, const Command& command);
  void end(Slot& slot, Result<Reply> result);
  void late(Slot& slot);
  void close();

  EventLoop& loop_;
  const Endpoint endpoint_;
  const Patience patience_;
  const harness::HostIndex server_;
  Witness& witness_;
  redisAsyncContext* context_ = nullptr;  // owned; null while there is no connection
  int messages_ = 0;
};

class HiredisStores final : public Stores {
 public:
  explicit HiredisStores(EventLoop& loop) : loop_(loop) {}
  void add(std::unique_ptr<HiredisStore> store) { stores_.push_back(std::move(store)); }

  [[nodiscard]] std::size_t size() const override { return stores_.size(); }
  HiredisStore& at(std::size_t i) override { return *stores_.at(i); }
  Task<Replies> gather(Command command, Duration timeout) override;

 private:
  EventLoop& loop_;
  std::vector<std::unique_ptr<HiredisStore>> stores_;
};

}  // namespace lockproof::real
