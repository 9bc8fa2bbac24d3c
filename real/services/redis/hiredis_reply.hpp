// SPDX-License-Identifier: Apache-2.0
// From hiredis's replies to ours. RESP2 only, as hiredis 0.14 speaks.
#pragma once

#include "algorithms/port/command.hpp"

struct redisReply;

namespace lockproof::real {

[[nodiscard]] Reply reply_from(const redisReply& reply);
/// The words of a command as they stand in an array of bulk strings; empty if it is none.
[[nodiscard]] std::vector<Value> words_from(const redisReply& array);

}  // namespace lockproof::real
