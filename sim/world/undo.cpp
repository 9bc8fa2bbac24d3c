// SPDX-License-Identifier: Apache-2.0
#include "sim/world/undo.hpp"

#include <algorithm>
#include <string_view>

namespace lockproof::sim {
namespace {

/// Commands that only read, or only add what is not there, by the service that has them.
constexpr std::string_view harmless[] = {"READ",
                                         "WRITE",
                                         "TOUCH",
                                         "CLAIM",  // the resource
                                         "GET",
                                         "EXISTS",
                                         "TTL",
                                         "PTTL",
                                         "TIME",
                                         "PING",
                                         "SETNX",
                                         "SUBSCRIBE",
                                         "WAIT",  // Redis
                                         "add",
                                         "get",
                                         "gets",  // memcached
                                         "try-advisory",
                                         "try-advisory-xact",
                                         "holds-advisory",
                                         "next-fence",
                                         "begin",  // PostgreSQL
                                         "CHILDREN",
                                         "CONNECT",
                                         "CREATE",
                                         "SYNC",  // ZooKeeper
                                         "LAST-BEFORE",
                                         "LEASE-GRANT",
                                         "LEASE-KEEPALIVE",
                                         "PUT-IF-ABSENT",
                                         "WATCH",  // etcd
                                         "CREATESESSION",
                                         "GETSEQUENCER",
                                         "KEEPALIVE",
                                         "TRYACQUIRE"};  // Chubby

bool adds_only(const Command& command) {  // SET … NX
  return command.verb() == "SET" && std::ranges::find(command.args(), Value("NX")) != command.args().end();
}

}  // namespace

bool may_undo(const Command& command) {
  return std::ranges::find(harmless, command.verb()) == std::end(harmless) && !adds_only(command);
}

}  // namespace lockproof::sim
