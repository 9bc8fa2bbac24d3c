// SPDX-License-Identifier: Apache-2.0
// HiredisStore: the port Store on a real Redis server, over hiredis. There is one connection for commands, and one more
// for messages once there is a subscription. Time-outs are RemoteStore's, since hiredis 0.14 has none.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "real/client/news.hpp"
#include "real/client/remote_store.hpp"

struct redisAsyncContext;

namespace lockproof::real {

class HiredisStore final : public RemoteStore {
 public:
  struct Subscription;

  HiredisStore(EventLoop& loop, Route route, CallTimeouts timeouts, Witness& witness);
  ~HiredisStore() override;

  Task<Result<Reply>> subscribe(Name channel) override;
  Task<bool> message(Name channel, Mono until) override;
  [[nodiscard]] bool established() const override;

 private:
  struct Callbacks;
  struct NewsCallback;

  int connect() override;
  [[nodiscard]] bool connected() const override { return context_ != nullptr; }
  bool put(std::unique_ptr<Operation> operation) override;
  void close() override;
  void send_subscription(Slot& slot, const Command& command) override;
  [[nodiscard]] redisAsyncContext* new_context();
  void lost(const redisAsyncContext* context);
  void end_subscriptions(bool left);
  void news_came(const std::string& channel);

  redisAsyncContext* context_ = nullptr;  // owned; null while there is no connection
  redisAsyncContext* news_ = nullptr;     // the one for messages; owned
  int on_news_ = 0;                       // commands that it has carried
  std::map<std::string, std::unique_ptr<Subscription>> subscriptions_;
  News messages_{loop_};
};

}  // namespace lockproof::real
