// SPDX-License-Identifier: Apache-2.0
// HiredisStore's part that subscribes: a connection of its own for messages.
#include <hiredis/async.h>

#include <utility>

#include "harness/record/recorded_ports.hpp"
#include "real/network/proxy.hpp"
#include "real/services/redis/hiredis_parts.hpp"
#include "real/services/redis/hiredis_reply.hpp"

namespace lockproof::real {

/// The subscription may be gone when this is called: hiredis's word is not trusted for it, the store's list is.
struct HiredisStore::NewsCallback {
  static void on_news(redisAsyncContext* context, void* raw, void*) {
    if (!raw) return;  // the connection ends, see HiredisStore::lost
    HiredisStore& store = *static_cast<HiredisStore*>(context->data);
    const Reply reply = reply_from(*static_cast<redisReply*>(raw));
    if (store.news_ != context || reply.items().size() != 3) return;
    const std::string& word = reply.items()[0].value().bytes();
    const std::string& channel = reply.items()[1].value().bytes();
    const auto found = store.subscriptions_.find(channel);
    if (found == store.subscriptions_.end()) return;
    Subscription& subscription = *found->second;
    if (word == "message") return store.news_came(channel);
    store.witness_.arrived(subscription.place, harness::subscription(Name(channel)));
    if (Slot* slot = subscription.waiting) {
      store.witness_.received(subscription.place.server, subscription.message, reply);
      end(*slot, reply);
    } else {
      store.witness_.discarded(subscription.place.server, subscription.message, reply);
    }
  }
};

Task<Result<Reply>> HiredisStore::subscribe(Name channel) {
  if (!may_send()) co_return Error::not_sent;
  look_at(harness::subscription(channel));
  Exchange exchange(loop_, harness::subscription(channel));
  auto subscription = std::make_unique<Subscription>(channel.bytes());
  Slot& slot = exchange.add(*this, timeouts_.timeout);
  slot.subscribes = true;
  slot.await(subscription.get());
  subscriptions_[channel.bytes()] = std::move(subscription);
  messages_.forget(channel.bytes());
  co_await exchange;
  co_return exchange.result(0);
}

void HiredisStore::send_subscription(Slot& slot, const Command& command) {
  if (!slot.awaited) return end(slot, Error::not_sent);  // another call has subscribed to the same channel
  auto& subscription = static_cast<Subscription&>(*slot.awaited);
  if (!news_) {
    news_ = new_context();
    on_news_ = greeting() ? 1 : 0;
  }
  const Place to{route().server, news_ ? own_port(news_->c.fd) : 0, on_news_ + 1};
  if (!leaving(slot, to, command)) return;
  if (!news_) return end(slot, Error::not_sent);
  ++on_news_;
  subscription.place = to;
  subscription.message = slot.message = next_message();
  witness_.sent(to, subscription.message, command);
  slot.timer.set(late_at(slot.timeout));
  if (!put_command(news_, &NewsCallback::on_news, nullptr, command)) return end(slot, Error::not_sent);
}

Task<bool> HiredisStore::message(Name channel, Mono until) {
  if (messages_.take(channel.bytes())) co_return true;
  News::Wait wait(messages_, channel.bytes(), within_attempt(until), clock());
  const bool came = co_await wait;
  co_return came;
}

void HiredisStore::news_came(const std::string& channel) {
  witness_.news(route().server, channel);
  messages_.came(channel);
}

/// `left`: the connection had been established. Calls that wait for a message go on waiting until their time is over:
/// nothing notifies them that none will come.
void HiredisStore::end_subscriptions(bool left) {
  auto ended = std::exchange(subscriptions_, {});
  messages_.forget();
  for (const auto& [channel, subscription] : ended) {
    Slot* const slot = subscription->waiting;
    if (slot && !left) witness_.refused(subscription->place.server, subscription->message);
    if (slot) end(*slot, left ? Error::no_reply : Error::not_sent);
  }
}

}  // namespace lockproof::real
