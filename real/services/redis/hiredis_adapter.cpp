// SPDX-License-Identifier: Apache-2.0
#include "real/services/redis/hiredis_adapter.hpp"

#include <hiredis/async.h>

#include <memory>

#include "real/network/event_loop.hpp"
#include "real/services/redis/bounded_reader.hpp"

namespace lockproof::real {
namespace {

/// Owned by the context, which gives it back in `clean_up`.
struct Link {
  Link(redisAsyncContext* to, EventLoop& loop)
      : context(to), watch(loop, to->c.fd, [this](EventLoop::Watch::Readiness ready) { see(ready); }) {}

  void see(EventLoop::Watch::Readiness ready) {
    redisAsyncContext* const served = context;
    // After a poll error reading tells hiredis what is wrong, be it a refused connection or a reset one.
    const bool writes = ready.writable && writable;
    const bool reads = ready.failed || (ready.readable && readable);
    bool gone = false;
    freed = &gone;  // handling may free the context, and this with it
    if (reads) redisAsyncHandleRead(served);
    if (!gone && reads) look_at_length(served);
    if (!gone && writes) redisAsyncHandleWrite(served);
    if (gone) return;
    freed = nullptr;
    want();  // libuv stops watching at an error
  }
  /// Limits the bytes read of one reply: a server that answers without end is disconnected.
  void look_at_length(redisAsyncContext* served) {
    constexpr std::size_t read_at_once = 16 * 1024;  // by hiredis, at most
    without_end = served->c.reader->reply ? without_end + read_at_once : 0;
    if (is_too_large(*served->c.reader, without_end)) redisAsyncFree(served);
  }
  void want() { watch.want(readable, writable); }

  redisAsyncContext* context;
  bool readable = false, writable = false;
  std::size_t without_end = 0;  // read since the last whole reply, at most
  bool* freed = nullptr;
  EventLoop::Watch watch;
};

Link& link(void* data) { return *static_cast<Link*>(data); }

void add_read(void* data) { link(data).readable = true, link(data).want(); }
void stop_read(void* data) { link(data).readable = false, link(data).want(); }
void add_write(void* data) { link(data).writable = true, link(data).want(); }
void stop_write(void* data) { link(data).writable = false, link(data).want(); }

void clean_up(void* data) {
  const std::unique_ptr<Link> last(static_cast<Link*>(data));
  if (last->freed) *last->freed = true;
}

}  // namespace

void attach(redisAsyncContext* context, EventLoop& loop) {
  bound(*context->c.reader);
  context->ev.data = std::make_unique<Link>(context, loop).release();
  context->ev.addRead = add_read;
  context->ev.delRead = stop_read;
  context->ev.addWrite = add_write;
  context->ev.delWrite = stop_write;
  context->ev.cleanup = clean_up;
}

}  // namespace lockproof::real
