// SPDX-License-Identifier: Apache-2.0
#include "real/hiredis_store.hpp"

#include <hiredis/async.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <deque>
#include <optional>
#include <utility>

#include "real/hiredis_adapter.hpp"
#include "real/hiredis_reply.hpp"
#include "real/world_time.hpp"

namespace lockproof::real {

/// A command that hiredis knows of. It belongs to hiredis from the send to its callback, which comes exactly once.
struct HiredisStore::Operation {
  HiredisStore& store;
  Command command;
  int message;
  Slot* waiting;  // null: its call has ended
};

/// One call of an exchange. It stays at its address.
struct HiredisStore::Slot : Pinned {
  Slot(Exchange& whole, HiredisStore& to, Duration patience)
      : exchange(whole), store(to), timeout(patience), timer(to.loop_, [this] { store.late(*this); }) {}
  ~Slot() {
    if (operation) operation->waiting = nullptr;
  }
  Exchange& exchange;
  HiredisStore& store;
  const Duration timeout;
  Operation* operation = nullptr;
  EventLoop::Timer timer;
  std::optional<Result<Reply>> result;
};

/// One suspension: the same command to some servers, until all calls have ended.
class HiredisStore::Exchange final : public EventLoop::Waiter {
 public:
  Exchange(EventLoop& loop, Command command) : Waiter(loop), command_(std::move(command)) {}
  void add(HiredisStore& store, Duration timeout) { slots_.emplace_back(*this, store, timeout), ++open_; }
  void ended() {
    if (--open_ == 0) wake();
  }
  void await_resume() const noexcept {}
  [[nodiscard]] const Result<Reply>& result(std::size_t i) const { return *slots_.at(i).result; }

 private:
  void depart() override {
    if (slots_.empty()) return wake();
    for (Slot& slot : slots_) slot.store.send(slot, command_);
  }
  const Command command_;
  std::deque<Slot> slots_;
  std::size_t open_ = 0;
};

/// What hiredis calls.
struct HiredisStore::Callbacks {
  static HiredisStore& store_of(const redisAsyncContext* context) { return *static_cast<HiredisStore*>(context->data); }

  static void on_connect(const redisAsyncContext* context, int status) {
    HiredisStore& store = store_of(context);
    if (status != REDIS_OK && store.context_ == context) store.context_ = nullptr;  // hiredis frees it
  }
  static void on_disconnect(const redisAsyncContext* context, int) {
    HiredisStore& store = store_of(context);
    if (store.context_ == context) store.context_ = nullptr;
  }
  static void on_reply(redisAsyncContext* context, void* raw, void* data) {
    const std::unique_ptr<Operation> operation(static_cast<Operation*>(data));
    HiredisStore& store = operation->store;
    if (!raw) {  // the connection is gone
      const bool left = (context->c.flags & REDIS_CONNECTED) != 0;
      if (Slot* slot = operation->waiting) store.end(*slot, left ? Error::no_reply : Error::not_sent);
      return;
    }
    store.witness_.arrived(operation->command);
    Reply reply = reply_from(*static_cast<redisReply*>(raw));
    if (Slot* slot = operation->waiting) {
      store.witness_.received(store.server_, operation->message, reply);
      store.end(*slot, std::move(reply));
    } else {
      store.witness_.discarded(store.server_, operation->message, reply);
    }
  }
};

HiredisStore::HiredisStore(EventLoop& loop, Endpoint endpoint, Patience patience, harness::HostIndex server,
                           Witness& witness)
    : loop_(loop), endpoint_(std::move(endpoint)), patience_(patience), server_(server), witness_(witness) {}

HiredisStore::~HiredisStore() { close(); }

Task<Result<Reply>> HiredisStore::call(Command command) {
  Exchange exchange(loop_, std::move(command));
  exchange.add(*this, patience_.timeout);
  co_await exchange;
  co_return exchange.result(0);
}

Task<Replies> HiredisStores::gather(Command command, Duration timeout) {
  HiredisStore::Exchange exchange(loop_, std::move(command));
  for (const auto& store : stores_) exchange.add(*store, timeout);
  co_await exchange;
  Replies replies;
  for (std::size_t i = 0; i < stores_.size(); ++i) replies.push_back(exchange.result(i));
  co_return replies;
}

bool HiredisStore::established() const { return context_ && (context_->c.flags & REDIS_CONNECTED) != 0; }

void HiredisStore::open() {
  if (context_) return;
  const char* address = endpoint_.address.c_str();
  redisAsyncContext* context =
      endpoint_.port ? redisAsyncConnect(address, endpoint_.port) : redisAsyncConnectUnix(address);
  if (!context) return;
  if (context->err) {
    redisAsyncFree(context);
    return;
  }
  context->data = this;
  attach(context, loop_);
  redisAsyncSetConnectCallback(context, &Callbacks::on_connect);
  redisAsyncSetDisconnectCallback(context, &Callbacks::on_disconnect);
  context_ = context;

  sockaddr_in own{};
  socklen_t size = sizeof own;
  const bool named = endpoint_.port && ::getsockname(context->c.fd, reinterpret_cast<sockaddr*>(&own), &size) == 0;
  witness_.connected(server_, named ? ntohs(own.sin_port) : 0);
}

void HiredisStore::send(Slot& slot, const Command& command) {
  witness_.leaving(command);  // may stop this process
  open();
  if (!context_) return end(slot, Error::not_sent);
  const int message = ++messages_;
  witness_.sent(server_, message, command);

  std::vector<const char*> words;
  std::vector<std::size_t> lengths;
  for (const Value& word : command.words()) {
    words.push_back(word.bytes().data());
    lengths.push_back(word.bytes().size());
  }
  auto operation = std::make_unique<Operation>(Operation{*this, command, message, &slot});
  slot.operation = operation.get();
  slot.timer.set(machine_ns() + WorldTime(0, patience_.scale).machine_ns_of(slot.timeout));
  const int status = redisAsyncCommandArgv(context_, &Callbacks::on_reply, operation.get(),
                                           static_cast<int>(words.size()), words.data(), lengths.data());
  if (status != REDIS_OK) return end(slot, Error::not_sent);
  operation.release();  // hiredis has it
  // It leaves now and not in the next turn: a stop after this point must not hold it back.
  if (established()) redisAsyncHandleWrite(context_);
}

void HiredisStore::end(Slot& slot, Result<Reply> result) {
  slot.timer.cancel();
  if (slot.operation) slot.operation->waiting = nullptr;
  slot.operation = nullptr;
  slot.result = std::move(result);
  slot.exchange.ended();
}

void HiredisStore::late(Slot& slot) {
  witness_.timed_out(server_, slot.operation->message);
  if (patience_.on_timeout == harness::OnTimeout::discard) return end(slot, Error::no_reply);
  close();  // ends this call and whatever else waits on the connection
  open();
}

void HiredisStore::close() {
  if (redisAsyncContext* old = std::exchange(context_, nullptr)) redisAsyncFree(old);
}

}  // namespace lockproof::real
