// SPDX-License-Identifier: Apache-2.0
// RemoteStore and RemoteStores: the ports Store and Stores on real servers, whatever protocol these speak. There is one
// connection to each server; time-outs, reconnecting and sending again are decided here, and a derived class carries
// the bytes. A reply that comes after its call has ended is discarded: an operation lives on the heap until its
// connection releases it, and the frame that waited for it has unregistered.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "algorithms/port/store.hpp"
#include "harness/scenario/scenario.hpp"
#include "harness/workload/life.hpp"
#include "real/client/host_ports.hpp"
#include "real/network/endpoint.hpp"
#include "real/network/event_loop.hpp"
#include "real/record/witness.hpp"

namespace lockproof::real {

/// What a store does when a reply is late.
struct CallTimeouts {
  Duration timeout;
  harness::OnTimeout on_timeout = harness::OnTimeout::reconnect;
  std::int64_t speedup = 1;  // scenario microseconds per microsecond
};

/// The server that a store connects to at the moment.
struct Route {
  Endpoint endpoint;
  harness::HostIndex server;
};

class RemoteStore : public Store {
 public:
  struct Slot;
  struct Awaited;
  struct Operation;
  class Exchange;

  RemoteStore(EventLoop& loop, Route route, CallTimeouts timeouts, Witness& witness);

  Task<Result<Reply>> call(Command command) override;
  /// Asks where the server is whenever it connects.
  void follow(std::function<Route()> route) { ask_route_ = std::move(route); }
  /// Calls `turn` with the server that does not serve this client: the connection to it has ended, or was not made, or
  /// a reply did not come in time.
  void turn_with(std::function<void(harness::HostIndex)> turn) { turn_ = std::move(turn); }
  /// Counts time-outs by this clock from now on, and not by the machine's.
  void count_by(HostClock& clock) { clock_ = &clock; }
  /// Obeys the end that the client's caller gives to an attempt.
  void obey(const harness::Life& life) { life_ = &life; }
  /// Each connection sends this command first, and the witness is not notified of it.
  void introduce_with(Command greeting) { greeting_ = std::move(greeting); }
  /// Calls `look` with each command before it leaves; the caller gets its exceptions.
  void look_with(std::function<void(const Command&)> look) { look_ = std::move(look); }
  /// Opens the connection if there is none. Commands may be sent before it is established.
  void open();
  [[nodiscard]] virtual bool established() const = 0;

 protected:
  /// Connects to the current route. Returns the TCP port of its own end; 0: it has none.
  virtual int connect() = 0;
  /// Whether there is a connection, established or about to be.
  [[nodiscard]] virtual bool connected() const = 0;
  /// Sends the operation, which ends by answered() or unanswered(). False: the connection does not accept it.
  virtual bool put(std::unique_ptr<Operation> operation) = 0;
  /// Ends the connection and, by unanswered(), all operations on it. A destructor must call it.
  virtual void close() = 0;
  /// How many messages go before a connection's first command, which is this one.
  [[nodiscard]] virtual int introductions(const Command& /*first*/) const { return greeting_ ? 1 : 0; }
  /// Whether the connection can carry this command; else it is closed, and another one opened.
  [[nodiscard]] virtual bool carries(const Command& /*command*/) const { return true; }
  /// A pool takes the connection back, which stays open, and is not used again. False: it cannot at present.
  virtual bool set_aside() { return false; }
  /// A call that subscribes is about to leave; only stores that make such calls implement it.
  virtual void send_subscription(Slot& /*slot*/, const Command& /*command*/) {}

  /// The reply to an operation has come.
  void answered(std::unique_ptr<Operation> operation, Reply reply);
  /// The connection of an operation has ended. `left`: it had been established, so that the command may have run.
  void unanswered(std::unique_ptr<Operation> operation, bool left);
  /// Ends a call with its result.
  static void end(Slot& slot, Result<Reply> result);
  /// Tells the witness that a command leaves. Nothing: the process that sent it is gone. Otherwise: how it is to be
  /// sent again, if at all.
  std::optional<std::optional<Repetition>> leaving(Slot& slot, const Place& to, const Command& command);
  /// The current server does not serve this client.
  void turn() {
    if (turn_) turn_(route_.server);
  }
  void look_at(const Command& command) const {
    if (look_) look_(command);
  }
  [[nodiscard]] std::int64_t due(Duration time_allowed) const;
  /// When a call that is sent now is late.
  [[nodiscard]] std::int64_t late_at(Duration timeout) const;
  [[nodiscard]] Mono within_attempt(Mono until) const { return life_ ? life_->within_attempt(until) : until; }
  /// Its caller has not ended the attempt that is under way, if there is one.
  [[nodiscard]] bool may_send() const { return !life_ || !clock_ || life_->may_send(clock_->mono()); }
  [[nodiscard]] const Route& route() const { return route_; }
  [[nodiscard]] const std::optional<Command>& greeting() const { return greeting_; }
  [[nodiscard]] HostClock* clock() const { return clock_; }
  [[nodiscard]] virtual int next_message() { return ++messages_[route_.server]; }

  EventLoop& loop_;
  Witness& witness_;
  const CallTimeouts timeouts_;

 private:
  friend class RemoteStores;
  void send(Slot& slot, const Command& command);
  void transmit(Slot& slot, const Command& command, const std::optional<Repetition>& again);
  void send_again(Slot& slot);
  void retry(Slot& slot);
  void late(Slot& slot);
  [[nodiscard]] Place next_place(const Command& command);

  Route route_;
  std::function<Route()> ask_route_;
  std::function<void(harness::HostIndex)> turn_;
  HostClock* clock_ = nullptr;
  const harness::Life* life_ = nullptr;
  std::optional<Command> greeting_;
  std::function<void(const Command&)> look_;
  int port_ = 0;                      // the TCP port of our end of the connection
  std::optional<int> on_connection_;  // messages that it has carried; nothing: it has carried none
  std::map<harness::HostIndex, int> messages_;
};

class RemoteStores final : public Stores {
 public:
  explicit RemoteStores(EventLoop& loop) : loop_(loop) {}
  void add(std::unique_ptr<RemoteStore> store) { stores_.push_back(std::move(store)); }

  [[nodiscard]] std::size_t size() const override { return stores_.size(); }
  RemoteStore& at(std::size_t i) override { return *stores_.at(i); }
  Task<Replies> gather(Command command, Duration timeout) override;

 private:
  EventLoop& loop_;
  std::vector<std::unique_ptr<RemoteStore>> stores_;
};

}  // namespace lockproof::real
