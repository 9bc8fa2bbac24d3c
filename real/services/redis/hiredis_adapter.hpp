// SPDX-License-Identifier: Apache-2.0
// The link between an asynchronous hiredis context and our event loop. It replaces the one that comes with hiredis
// 0.14, which drops poll errors, so that a refused connection would never call back.
#pragma once

struct redisAsyncContext;

namespace lockproof::real {

class EventLoop;

/// The context then reads and writes when the loop says so, until it is freed.
void attach(redisAsyncContext* context, EventLoop& loop);

}  // namespace lockproof::real
