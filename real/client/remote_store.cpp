// SPDX-License-Identifier: Apache-2.0
#include "real/client/remote_store.hpp"

#include "real/client/remote_store_parts.hpp"
#include "real/clock/world_time.hpp"

namespace lockproof::real {

RemoteStore::RemoteStore(EventLoop& loop, Route route, CallTimeouts timeouts, Witness& witness)
    : loop_(loop), witness_(witness), timeouts_(timeouts), route_(std::move(route)) {}

Task<Result<Reply>> RemoteStore::call(Command command) {
  if (!may_send()) co_return Error::not_sent;
  look_at(command);
  Exchange exchange(loop_, std::move(command));
  exchange.add(*this, timeouts_.timeout);
  co_await exchange;
  co_return exchange.result(0);
}

Task<Replies> RemoteStores::gather(Command command, Duration timeout) {
  if (!stores_.empty() && !stores_.front()->may_send()) co_return Replies(stores_.size(), Error::not_sent);
  for (const auto& store : stores_) store->look_at(command);
  RemoteStore::Exchange exchange(loop_, std::move(command));
  for (const auto& store : stores_) exchange.add(*store, timeout);
  co_await exchange;
  Replies replies;
  for (std::size_t i = 0; i < stores_.size(); ++i) replies.push_back(exchange.result(i));
  co_return replies;
}

void RemoteStore::open() {
  if (connected()) return;
  if (ask_route_) route_ = ask_route_();
  port_ = connect();
  on_connection_.reset();
}

std::int64_t RemoteStore::due(Duration time_allowed) const {
  if (clock_) return clock_->machine_at(clock_->mono() + time_allowed);
  return machine_ns() + WorldTime(0, timeouts_.speedup).machine_ns_of(time_allowed);
}

std::int64_t RemoteStore::late_at(Duration timeout) const {
  return clock_ ? clock_->machine_at(within_attempt(clock_->mono() + timeout)) : due(timeout);
}

std::optional<std::optional<Repetition>> RemoteStore::leaving(Slot& slot, const Place& to, const Command& command) {
  bool gone = false;
  slot.gone = &gone;
  const auto sent_again = witness_.leaving(to, command);  // may stop this process
  if (gone) return std::nullopt;
  slot.gone = nullptr;
  return sent_again;
}

Place RemoteStore::next_place(const Command& command) {
  if (!on_connection_) on_connection_ = introductions(command);
  return {route_.server, port_, *on_connection_ + 1};
}

void RemoteStore::send(Slot& slot, const Command& command) {
  if (slot.subscribes) return send_subscription(slot, command);
  if (connected() && !carries(command)) close();
  open();
  const auto again = leaving(slot, next_place(command), command);
  if (again) transmit(slot, command, *again);
}

/// For the first time, or again: the reply to the first is then discarded. The time-out counts from the sending, as a
/// stop of this process before does not count; that of a call which is under way stays as it is.
void RemoteStore::transmit(Slot& slot, const Command& command, const std::optional<Repetition>& again) {
  if (witness_.takes_another(route_.server) && !set_aside()) witness_.takes_another_later(route_.server);
  open();
  if (!connected()) return end(slot, Error::not_sent);
  const Place to = next_place(command);
  ++*on_connection_;
  const int message = slot.message = next_message();
  witness_.sent(to, message, command);

  auto operation = std::make_unique<Operation>(command, to, message, again && again->loses_reply);
  slot.await(operation.get());
  if (!slot.timer.is_set()) slot.timer.set(late_at(slot.timeout));
  if (again && again->after) slot.again.set(due(*again->after));
  if (again && !again->after) slot.retry = again;
  if (!put(std::move(operation))) return end(slot, Error::not_sent);
}

/// The fault strikes now: if the call had ended before, it would have changed nothing.
void RemoteStore::send_again(Slot& slot) {
  witness_.leaving_again(route_.server);
  if (connected() && !carries(slot.exchange.command())) close();
  transmit(slot, slot.exchange.command(), std::nullopt);
}

/// The call has timed out and goes on: it has as much time again.
void RemoteStore::retry(Slot& slot) {
  const bool keeps = std::exchange(slot.retry, std::nullopt)->same_connection;
  slot.forget();
  if (!keeps) {
    turn();
    close();  // ends the other calls that wait on the connection
  }
  send_again(slot);
}

void RemoteStore::answered(std::unique_ptr<Operation> operation, Reply reply) {
  if (operation->deaf) return witness_.lost(operation->place.server, operation->message);
  witness_.arrived(operation->place, operation->command);  // may stop this process, or end the call
  if (Slot* slot = operation->waiting) {
    witness_.received(operation->place.server, operation->message, reply);
    end(*slot, std::move(reply));
  } else {
    witness_.discarded(operation->place.server, operation->message, reply);
  }
}

void RemoteStore::unanswered(std::unique_ptr<Operation> operation, bool left) {
  Slot* const slot = operation->waiting;
  if (!slot) return;
  if (!left) witness_.refused(operation->place.server, operation->message);
  end(*slot, left ? Error::no_reply : Error::not_sent);
}

void RemoteStore::end(Slot& slot, Result<Reply> result) {
  slot.timer.cancel();
  slot.again.cancel();
  slot.forget();
  slot.result = std::move(result);
  slot.exchange.ended();
}

void RemoteStore::late(Slot& slot) {
  if (slot.retry) return retry(slot);
  witness_.timed_out(route_.server, slot.message);
  if (timeouts_.on_timeout == harness::OnTimeout::discard) return end(slot, Error::no_reply);
  turn();
  close();                                       // ends all calls that wait on the connection
  if (!slot.result) end(slot, Error::no_reply);  // it waited between two copies of its command
  open();
}

}  // namespace lockproof::real
