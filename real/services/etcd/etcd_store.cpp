// SPDX-License-Identifier: Apache-2.0
#include "real/services/etcd/etcd_store.hpp"

#include <utility>

#include "real/services/etcd/http.hpp"

namespace lockproof::real {

EtcdStore::EtcdStore(EventLoop& loop, Route route, CallTimeouts timeouts, Witness& witness, const EtcdCodec& codec)
    : SocketStore(loop, route, timeouts, witness, codec),
      watching_(*this, loop, std::move(route), timeouts, witness, codec) {}

Task<Result<Reply>> EtcdStore::call(Command command) {
  if (!may_send()) co_return Error::not_sent;
  if (command.verb() == "WATCH") {
    look_at(command);
    if (clock()) watching_.count_by(*clock());
    const Result<Reply> reply = co_await watching_.call(std::move(command));
    co_return reply;
  }
  const Result<Reply> reply = co_await SocketStore::call(std::move(command));
  co_return reply;
}

bool EtcdStore::WatchConnection::takes(const std::string& message) {
  if (!is_http_chunk(message)) return false;
  for (const KeyChange& change : changes_in(message)) {
    if (!change.deleted) continue;
    witness_.news(route().server, change.key);
    whole_.news_.came(change.key);
  }
  return true;
}

Task<bool> EtcdStore::message(Name channel, Mono until) {
  if (news_.take(channel.bytes())) co_return true;
  News::Wait wait(news_, channel.bytes(), within_attempt(until), clock());
  const bool came = co_await wait;
  co_return came;
}

}  // namespace lockproof::real
