// SPDX-License-Identifier: Apache-2.0
// HiredisStore and HiredisStores: the ports Store and Stores on real servers, over hiredis. One connection to each
// server, and one more for messages once there is a subscription; time-outs are our own, since hiredis 0.14 has none. A
// reply that comes after its call has ended finds nobody: an operation lives on the heap until hiredis lets go of it,
// and the frame that waited has taken its name off it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/port/store.hpp"
#include "harness/scenario/scenario.hpp"
#include "real/client/host_ports.hpp"
#include "real/network/endpoint.hpp"
#include "real/network/event_loop.hpp"
#include "real/record/witness.hpp"

struct redisAsyncContext;

namespace lockproof::real {

/// What a store does when a reply is late.
struct Patience {
  Duration timeout;
  harness::OnTimeout on_timeout = harness::OnTimeout::reconnect;
  std::int64_t scale = 1;  // scenario microseconds per microsecond
};

/// Where a store finds its server at the moment.
struct Route {
  Endpoint endpoint;
  harness::HostIndex server;
};

class HiredisStore final : public Store {
 public:
  struct Operation;
  struct Subscription;
  class Exchange;
  class NewsWait;

  HiredisStore(EventLoop& loop, Endpoint endpoint, Patience patience, harness::HostIndex server, Witness& witness);
  ~HiredisStore() override;

  Task<Result<Reply>> call(Command command) override;
  Task<Result<Reply>> subscribe(Name channel) override;
  Task<bool> message(Name channel, Mono until) override;
  /// Asks where the server is whenever it connects.
  void follow(std::function<Route()> route) { ask_route_ = std::move(route); }
  /// Counts time-outs by this clock from now on, and not by the machine's.
  void count_by(HostClock& clock) { clock_ = &clock; }
  /// Each connection says this first, and nobody else hears of it.
  void introduce_with(Command greeting) { greeting_ = std::move(greeting); }
  /// Looks at each command before it leaves; whatever it throws, the caller gets.
  void look_with(std::function<void(const Command&)> look) { look_ = std::move(look); }
  /// Opens the connection if there is none. Commands may be sent before it is established.
  void open();
  [[nodiscard]] bool established() const;

 private:
  friend class HiredisStores;
  struct Slot;
  struct Callbacks;
  struct NewsCallback;

  void send(Slot& slot, const Command& command);
  void subscribe(Slot& slot, const Command& command);
  std::optional<std::optional<Duration>> leaving(Slot& slot, const Place& to, const Command& command);
  void end(Slot& slot, Result<Reply> result);
  void late(Slot& slot);
  void close();
  [[nodiscard]] redisAsyncContext* connect();
  void lost(const redisAsyncContext* context);
  void end_subscriptions(bool left);
  void news_came(const std::string& channel);
  [[nodiscard]] std::int64_t due(Duration patience) const;

  EventLoop& loop_;
  Route route_;
  std::function<Route()> ask_route_;
  const Patience patience_;
  Witness& witness_;
  HostClock* clock_ = nullptr;
  std::optional<Command> greeting_;
  std::function<void(const Command&)> look_;
  redisAsyncContext* context_ = nullptr;  // owned; null while there is no connection
  redisAsyncContext* news_ = nullptr;     // the one for messages; owned
  int port_ = 0;                          // of our end of the connection
  int on_connection_ = 0, on_news_ = 0;   // commands that they have carried
  std::map<harness::HostIndex, int> messages_;
  std::map<std::string, std::unique_ptr<Subscription>> subscriptions_;
  std::vector<NewsWait*> waits_;
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
