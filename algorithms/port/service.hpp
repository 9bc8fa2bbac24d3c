// SPDX-License-Identifier: Apache-2.0
// Service: what kind of server a lock is kept on.
#pragma once

#include <cstdint>

namespace lockproof {

enum class Service : std::uint8_t { redis, memcached, postgres, zookeeper, etcd, chubby };

}  // namespace lockproof
