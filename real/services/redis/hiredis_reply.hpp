// SPDX-License-Identifier: Apache-2.0
// Converts hiredis's replies to ours. It knows RESP2 only, like hiredis 0.14.
#pragma once

#include "algorithms/port/command.hpp"

struct redisReply;

namespace lockproof::real {

[[nodiscard]] Reply reply_from(const redisReply& reply);
/// The words of a command as they stand in an array of bulk strings; empty if it is not a command.
[[nodiscard]] std::vector<Value> words_from(const redisReply& array);

}  // namespace lockproof::real
