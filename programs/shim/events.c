/* SPDX-License-Identifier: Apache-2.0 */
/* eventfd and pipes, by which threads and loops of one program wake each other. The kernel's are shared by a process
   and its copies; these are memory. The kernel's own stays behind each, so that its flags need nothing from here. */
#include "shim.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "raw.h"

static ssize_t failed(int error) {
  errno = error;
  return -1;
}

int eventfd(unsigned count, int flags) {
  const int fd = (int)call(SYS_eventfd2, count, flags, 0, 0, 0, 0);
  if (!shim_on || fd < 0) return fd;
  struct stream* const s = shim_begin_stream(fd, is_event);
  if (!s) {
    raw(SYS_close, fd, 0, 0, 0, 0, 0);
    return (int)failed(EMFILE);
  }
  s->count = count;
  s->counts_down = (flags & EFD_SEMAPHORE) != 0;
  return fd;
}

/* Of one that is not zero. */
ssize_t shim_take_count(struct stream* s, const struct iovec* into, int pieces) {
  const uint64_t taken = s->counts_down ? 1 : s->count;
  if (pieces < 1 || into->iov_len < sizeof taken) return failed(EINVAL);
  s->count -= taken;
  memcpy(into->iov_base, &taken, sizeof taken);
  return sizeof taken;
}

ssize_t shim_add_count(struct stream* s, const struct iovec* from, int pieces) {
  uint64_t added;
  if (pieces < 1 || from->iov_len < sizeof added) return failed(EINVAL);
  memcpy(&added, from->iov_base, sizeof added);
  if (added == UINT64_MAX) return failed(EINVAL);
  if (added > UINT64_MAX - 1 - s->count) return failed(EAGAIN);
  s->count += added;
  return sizeof added;
}

int eventfd_read(int fd, eventfd_t* count) { return read(fd, count, sizeof *count) == sizeof *count ? 0 : -1; }

int eventfd_write(int fd, eventfd_t count) { return write(fd, &count, sizeof count) == sizeof count ? 0 : -1; }

int pipe2(int fds[2], int flags) {
  if (call(SYS_pipe2, (long)fds, flags, 0, 0, 0, 0) < 0) return -1;
  if (!shim_on) return 0;
  struct stream* const out = shim_begin_stream(fds[0], is_pipe_out);
  struct stream* const in = shim_begin_stream(fds[1], is_pipe_in);
  if (!out || !in) {
    for (int i = 0; i < 2; ++i) close(fds[i]);
    return (int)failed(EMFILE);
  }
  out->other = fds[1];
  in->other = fds[0];
  return 0;
}

int pipe(int fds[2]) { return pipe2(fds, 0); }

/* All of it, or nothing. */
ssize_t shim_put_in_pipe(const struct stream* in, const struct iovec* from, int pieces) {
  size_t all = 0;
  for (int i = 0; i < pieces; ++i) all += from[i].iov_len;
  if (in->broken) return failed(EPIPE);
  struct stream* const out = shim_stream(in->other);
  if (all > shim_room(out)) return failed(EAGAIN);
  for (int i = 0; i < pieces; ++i) shim_received(out, from[i].iov_base, from[i].iov_len);
  return (ssize_t)all;
}

/* The other end learns that this one was closed. */
void shim_close_pipe(const struct stream* s) {
  if (s->other < 0) return; /* that one was closed before */
  struct stream* const other = shim_stream(s->other);
  other->other = -1;
  if (s->kind == is_pipe_in) other->ended = 1;
  if (s->kind == is_pipe_out) other->broken = 1;
}
