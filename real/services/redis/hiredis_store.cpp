// SPDX-License-Identifier: Apache-2.0
#include "real/services/redis/hiredis_store.hpp"

#include <hiredis/async.h>

#include <utility>

#include "real/clock/world_time.hpp"
#include "real/network/proxy.hpp"
#include "real/services/redis/hiredis_adapter.hpp"
#include "real/services/redis/hiredis_parts.hpp"
#include "real/services/redis/hiredis_reply.hpp"

namespace lockproof::real {

/// What hiredis calls.
struct HiredisStore::Callbacks {
  static HiredisStore& store_of(const redisAsyncContext* context) { return *static_cast<HiredisStore*>(context->data); }

  static void on_connect(const redisAsyncContext* context, int status) {
    if (status != REDIS_OK) store_of(context).lost(context);  // hiredis frees it
  }
  static void on_disconnect(const redisAsyncContext* context, int) {
    HiredisStore& store = store_of(context);
    const bool ours = store.context_ != context && store.news_ != context;
    store.lost(context);
    if (!ours) store.witness_.broken(store.route_.server);
  }
  static void on_reply(redisAsyncContext* context, void* raw, void* data) {
    const std::unique_ptr<Operation> operation(static_cast<Operation*>(data));
    HiredisStore& store = operation->store;
    if (!raw) {  // the connection is gone
      const bool left = (context->c.flags & REDIS_CONNECTED) != 0;
      Slot* const slot = operation->waiting;
      if (!slot) return;
      if (!left) store.witness_.refused(operation->place.server, operation->message);
      return store.end(*slot, left ? Error::no_reply : Error::not_sent);
    }
    if (operation->deaf) {
      if (Slot* slot = operation->waiting) slot->operation = nullptr;
      return store.witness_.lost(operation->place.server, operation->message);
    }
    store.witness_.arrived(operation->place, operation->command);
    Reply reply = reply_from(*static_cast<redisReply*>(raw));
    if (Slot* slot = operation->waiting) {
      store.witness_.received(operation->place.server, operation->message, reply);
      store.end(*slot, std::move(reply));
    } else {
      store.witness_.discarded(operation->place.server, operation->message, reply);
    }
  }
};

HiredisStore::HiredisStore(EventLoop& loop, Endpoint endpoint, Patience patience, harness::HostIndex server,
                           Witness& witness)
    : loop_(loop), route_{std::move(endpoint), server}, patience_(patience), witness_(witness) {}

HiredisStore::~HiredisStore() { close(); }

Task<Result<Reply>> HiredisStore::call(Command command) {
  if (look_) look_(command);
  Exchange exchange(loop_, std::move(command));
  exchange.add(*this, patience_.timeout);
  co_await exchange;
  co_return exchange.result(0);
}

Task<Replies> HiredisStores::gather(Command command, Duration timeout) {
  for (const auto& store : stores_) {
    if (store->look_) store->look_(command);
  }
  HiredisStore::Exchange exchange(loop_, std::move(command));
  for (const auto& store : stores_) exchange.add(*store, timeout);
  co_await exchange;
  Replies replies;
  for (std::size_t i = 0; i < stores_.size(); ++i) replies.push_back(exchange.result(i));
  co_return replies;
}

bool HiredisStore::established() const { return context_ && (context_->c.flags & REDIS_CONNECTED) != 0; }

redisAsyncContext* HiredisStore::connect() {
  const Endpoint& endpoint = route_.endpoint;
  const char* address = endpoint.address.c_str();
  redisAsyncContext* context =
      endpoint.port ? redisAsyncConnect(address, endpoint.port) : redisAsyncConnectUnix(address);
  if (!context) return nullptr;
  if (context->err) {
    redisAsyncFree(context);
    return nullptr;
  }
  context->data = this;
  attach(context, loop_);
  redisAsyncSetConnectCallback(context, &Callbacks::on_connect);
  redisAsyncSetDisconnectCallback(context, &Callbacks::on_disconnect);
  if (greeting_) put_command(context, nullptr, nullptr, *greeting_);
  return context;
}

void HiredisStore::open() {
  if (context_) return;
  if (ask_route_) route_ = ask_route_();
  context_ = connect();
  on_connection_ = greeting_ ? 1 : 0;
  port_ = context_ ? own_port(context_->c.fd) : 0;
}

/// A connection of ours has ended; hiredis frees it and then ends the calls on it. With the one for commands goes the
/// one for messages: a driver that has lost its server does not subscribe again by itself.
void HiredisStore::lost(const redisAsyncContext* context) {
  if (news_ == context) {
    news_ = nullptr;
    end_subscriptions((context->c.flags & REDIS_CONNECTED) != 0);
  }
  if (context_ != context) return;
  context_ = nullptr;
  if (redisAsyncContext* news = std::exchange(news_, nullptr)) redisAsyncFree(news);
  end_subscriptions(true);
}

std::int64_t HiredisStore::due(Duration patience) const {
  if (clock_) return clock_->machine_at(clock_->mono() + patience);
  return machine_ns() + WorldTime(0, patience_.scale).machine_ns_of(patience);
}

bool put_command(redisAsyncContext* context, void (*callback)(redisAsyncContext*, void*, void*), void* data,
                 const Command& command) {
  std::vector<const char*> words;
  std::vector<std::size_t> lengths;
  for (const Value& word : command.words()) {
    words.push_back(word.bytes().data());
    lengths.push_back(word.bytes().size());
  }
  return redisAsyncCommandArgv(context, callback, data, static_cast<int>(words.size()), words.data(), lengths.data()) ==
         REDIS_OK;
}

/// Nothing: the slot is gone.
std::optional<std::optional<Duration>> HiredisStore::leaving(Slot& slot, const Place& to, const Command& command) {
  bool gone = false;
  slot.gone = &gone;
  const auto sent_again = witness_.leaving(to, command);  // may stop this process
  if (gone) return std::nullopt;
  slot.gone = nullptr;
  return sent_again;
}

/// The first time, or again: then the reply to the first finds nobody, and the time-out stays as it is. It counts from
/// the sending: what stops this process before that does not count.
void HiredisStore::send(Slot& slot, const Command& command) {
  if (slot.subscription) return subscribe(slot, command);
  open();
  Place to{route_.server, port_, on_connection_ + 1};
  const auto sent_again = leaving(slot, to, command);
  if (!sent_again) return;
  open();
  if (!context_) return end(slot, Error::not_sent);
  to = {route_.server, port_, ++on_connection_};
  const int message = slot.message = ++messages_[route_.server];
  witness_.sent(to, message, command);

  if (slot.operation) slot.operation->waiting = nullptr;
  auto operation = std::make_unique<Operation>(Operation{*this, command, to, message, &slot, sent_again->has_value()});
  slot.operation = operation.get();
  if (!slot.timer.is_set()) slot.timer.set(due(slot.timeout));
  if (*sent_again) slot.again.set(due(**sent_again));
  if (!put_command(context_, &Callbacks::on_reply, operation.get(), command)) return end(slot, Error::not_sent);
  operation.release();  // hiredis has it
  // It leaves now and not in the next turn: a stop after this point must not hold it back.
  if (established()) redisAsyncHandleWrite(context_);
}

void HiredisStore::end(Slot& slot, Result<Reply> result) {
  slot.timer.cancel();
  slot.again.cancel();
  if (slot.operation) slot.operation->waiting = nullptr;
  slot.operation = nullptr;
  if (slot.subscription) slot.subscription->waiting = nullptr;
  slot.subscription = nullptr;
  slot.result = std::move(result);
  slot.exchange.ended();
}

void HiredisStore::late(Slot& slot) {
  witness_.timed_out(route_.server, slot.message);
  if (patience_.on_timeout == harness::OnTimeout::discard) return end(slot, Error::no_reply);
  close();                                       // ends whatever waits on the connection
  if (!slot.result) end(slot, Error::no_reply);  // it waited between two copies of its command
  open();
}

void HiredisStore::close() {
  if (redisAsyncContext* old = std::exchange(context_, nullptr)) redisAsyncFree(old);
  if (redisAsyncContext* news = std::exchange(news_, nullptr)) redisAsyncFree(news);
  end_subscriptions(true);
}

}  // namespace lockproof::real
