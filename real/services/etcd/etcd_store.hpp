// SPDX-License-Identifier: Apache-2.0
// EtcdStore: the port Store on a real etcd. Commands have one connection, and a watch another one, since the answer to
// it has no end; each watch ends the one before.
#pragma once

#include <string>

#include "real/client/news.hpp"
#include "real/client/socket_store.hpp"
#include "real/services/etcd/wire.hpp"

namespace lockproof::real {

class EtcdStore final : public SocketStore {
 public:
  EtcdStore(EventLoop& loop, Route route, CallTimeouts timeouts, Witness& witness, const EtcdCodec& codec);

  Task<Result<Reply>> call(Command command) override;
  Task<bool> message(Name channel, Mono until) override;

 private:
  /// The connection of the watch. Its messages are numbered with those of the commands.
  class WatchConnection final : public SocketStore {
   public:
    WatchConnection(EtcdStore& whole, EventLoop& loop, Route route, CallTimeouts timeouts, Witness& witness,
                    const EtcdCodec& codec)
        : SocketStore(loop, std::move(route), timeouts, witness, codec), whole_(whole) {}

   private:
    [[nodiscard]] bool carries(const Command& /*command*/) const override { return false; }
    [[nodiscard]] int next_message() override { return whole_.next_message(); }
    bool takes(const std::string& message) override;
    EtcdStore& whole_;
  };

  News news_{loop_};
  WatchConnection watching_;
};

}  // namespace lockproof::real
