// SPDX-License-Identifier: Apache-2.0
#include "real/services/redis/hiredis_store.hpp"

#include <hiredis/async.h>

#include <utility>

#include "real/network/proxy.hpp"
#include "real/services/redis/hiredis_adapter.hpp"
#include "real/services/redis/hiredis_parts.hpp"
#include "real/services/redis/hiredis_reply.hpp"

namespace lockproof::real {

/// The callbacks of hiredis.
struct HiredisStore::Callbacks {
  static HiredisStore& store_of(const redisAsyncContext* context) { return *static_cast<HiredisStore*>(context->data); }

  static void on_connect(const redisAsyncContext* context, int status) {
    if (status != REDIS_OK) store_of(context).lost(context);  // hiredis frees it
  }
  static void on_disconnect(const redisAsyncContext* context, int) {
    HiredisStore& store = store_of(context);
    const bool ours = store.context_ != context && store.news_ != context;
    store.lost(context);
    if (!ours) store.witness_.broken(store.route().server);
  }
  static void on_reply(redisAsyncContext* context, void* raw, void* data) {
    std::unique_ptr<Operation> operation(static_cast<Operation*>(data));
    HiredisStore& store = store_of(context);
    if (raw) return store.answered(std::move(operation), reply_from(*static_cast<redisReply*>(raw)));
    store.unanswered(std::move(operation), (context->c.flags & REDIS_CONNECTED) != 0);  // the connection is gone
  }
};

HiredisStore::HiredisStore(EventLoop& loop, Route route, CallTimeouts timeouts, Witness& witness)
    : RemoteStore(loop, std::move(route), timeouts, witness) {}

HiredisStore::~HiredisStore() { close(); }

bool HiredisStore::established() const { return context_ && (context_->c.flags & REDIS_CONNECTED) != 0; }

redisAsyncContext* HiredisStore::new_context() {
  const Endpoint& endpoint = route().endpoint;
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
  if (greeting()) put_command(context, nullptr, nullptr, *greeting());
  return context;
}

int HiredisStore::connect() {
  context_ = new_context();
  return context_ ? own_port(context_->c.fd) : 0;
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

bool put_command(redisAsyncContext* context, void (*callback)(redisAsyncContext*, void*, void*), void* data,
                 const Command& command) {
  std::vector<const char*> words;
  std::vector<std::size_t> lengths;
  for (const Value& word : command.args()) {
    words.push_back(word.bytes().data());
    lengths.push_back(word.bytes().size());
  }
  return redisAsyncCommandArgv(context, callback, data, static_cast<int>(words.size()), words.data(), lengths.data()) ==
         REDIS_OK;
}

bool HiredisStore::put(std::unique_ptr<Operation> operation) {
  if (!put_command(context_, &Callbacks::on_reply, operation.get(), operation->command)) return false;
  static_cast<void>(operation.release());  // hiredis has it
  // It leaves now and not in the next turn: a stop after this point must not hold it back.
  if (established()) redisAsyncHandleWrite(context_);
  return true;
}

void HiredisStore::close() {
  if (redisAsyncContext* old = std::exchange(context_, nullptr)) redisAsyncFree(old);
  if (redisAsyncContext* news = std::exchange(news_, nullptr)) redisAsyncFree(news);
  end_subscriptions(true);
}

}  // namespace lockproof::real
