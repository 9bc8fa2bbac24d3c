// SPDX-License-Identifier: Apache-2.0
// The parts of HiredisStore: its subscriptions. For hiredis_store.cpp and hiredis_news.cpp only.
#pragma once

#include <string>
#include <utility>

#include "real/client/remote_store_parts.hpp"
#include "real/services/redis/hiredis_store.hpp"

namespace lockproof::real {

/// A channel on the connection for messages. hiredis calls back for each message, until the connection ends. The call
/// that subscribes waits for it until the server confirms.
struct HiredisStore::Subscription : Awaited {
  explicit Subscription(std::string of_channel) : channel(std::move(of_channel)) {}
  const std::string channel;
  Place place{};  // place of the command that subscribed
  int message = 0;
};

/// Hands the words to hiredis. False: hiredis does not accept them.
bool put_command(redisAsyncContext* context, void (*callback)(redisAsyncContext*, void*, void*), void* data,
                 const Command& command);

}  // namespace lockproof::real
