/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and writing of the descriptors that are memory. */
#include "shim.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "raw.h"
#include "wire.h"

/* Until when a blocking read waits: SO_RCVTIMEO. */
static int64_t read_until(int fd) {
  struct timeval most = {0, 0};
  socklen_t room = sizeof most;
  if (shim_kind(fd) != is_connection) return -1;
  if (raw(SYS_getsockopt, fd, SOL_SOCKET, SO_RCVTIMEO, (long)&most, (long)&room, 0) != 0) return -1;
  const int64_t ns = most.tv_sec * 1000000000LL + most.tv_usec * 1000LL;
  return ns == 0 ? -1 : shim_after(ns);
}

static ssize_t failed(int error) {
  errno = error;
  return -1;
}

static int has_come(const void* fd) { return shim_readable(*(const int*)fd); }

static ssize_t take(int fd, const struct iovec* into, int pieces, int flags) {
  struct stream* const s = shim_stream(fd);
  if (s->kind == is_output || s->kind == is_pipe_in) return failed(EBADF);
  if (s->kind == is_set) return failed(EINVAL);
  const int64_t until = read_until(fd);
  const int waits = !(flags & MSG_DONTWAIT) && !(raw(SYS_fcntl, fd, F_GETFL, 0, 0, 0, 0) & O_NONBLOCK);
  while (!shim_readable(fd)) {
    if (!waits || (until >= 0 && shim_mono_ns >= until)) return failed(EAGAIN);
    shim_wait_until(has_come, &fd, until);
  }
  if (s->kind == is_event) return shim_take_count(s, into, pieces);
  if (s->length == 0) return s->broken ? failed(ECONNRESET) : 0;
  size_t taken = 0;
  for (int i = 0; i < pieces && taken < s->length; ++i) {
    const size_t rest = s->length - taken;
    const size_t part = into[i].iov_len < rest ? into[i].iov_len : rest;
    memcpy(into[i].iov_base, s->bytes + taken, part);
    taken += part;
  }
  if (flags & MSG_PEEK) return (ssize_t)taken;
  memmove(s->bytes, s->bytes + taken, s->length - taken);
  s->length -= taken;
  return (ssize_t)taken;
}

static ssize_t put(int fd, const struct iovec* from, int pieces) {
  struct stream* const s = shim_stream(fd);
  if (s->kind == is_input || s->kind == is_pipe_out) return failed(EBADF);
  if (s->kind == is_set) return failed(EINVAL);
  if (s->kind == is_event) return shim_add_count(s, from, pieces);
  if (s->kind == is_pipe_in) return shim_put_in_pipe(s, from, pieces);
  if (s->broken || s->shut) return failed(EPIPE);
  shim_record(s->kind == is_output ? lockproof_says : lockproof_sends, s->number, "", 0);
  size_t all = 0;
  for (int i = 0; i < pieces; ++i) {
    shim_add_to_record(from[i].iov_base, from[i].iov_len);
    all += from[i].iov_len;
  }
  if (shim_pauses_at_sends && s->kind == is_connection) shim_wait_for_input();
  return (ssize_t)all;
}

static ssize_t take_one(int fd, void* into, size_t length, int flags) {
  const struct iovec piece = {into, length};
  return take(fd, &piece, 1, flags);
}

static ssize_t put_one(int fd, const void* from, size_t length) {
  const struct iovec piece = {(void*)(uintptr_t)from, length};
  return put(fd, &piece, 1);
}

ssize_t read(int fd, void* into, size_t length) {
  return shim_kind(fd) ? take_one(fd, into, length, 0) : call(SYS_read, fd, (long)into, (long)length, 0, 0, 0);
}

ssize_t readv(int fd, const struct iovec* into, int pieces) {
  return shim_kind(fd) ? take(fd, into, pieces, 0) : call(SYS_readv, fd, (long)into, pieces, 0, 0, 0);
}

ssize_t recv(int fd, void* into, size_t length, int flags) {
  if (shim_kind(fd)) return take_one(fd, into, length, flags);
  return call(SYS_recvfrom, fd, (long)into, (long)length, flags, 0, 0);
}

ssize_t recvfrom(int fd, void* restrict into, size_t length, int flags, struct sockaddr* restrict from,
                 socklen_t* restrict room) {
  if (!shim_kind(fd)) return call(SYS_recvfrom, fd, (long)into, (long)length, flags, (long)from, (long)room);
  if (room) *room = 0;
  return take_one(fd, into, length, flags);
}

ssize_t recvmsg(int fd, struct msghdr* message, int flags) {
  if (!shim_kind(fd)) return call(SYS_recvmsg, fd, (long)message, flags, 0, 0, 0);
  message->msg_controllen = message->msg_namelen = 0;
  message->msg_flags = 0;
  return take(fd, message->msg_iov, (int)message->msg_iovlen, flags);
}

ssize_t write(int fd, const void* from, size_t length) {
  return shim_kind(fd) ? put_one(fd, from, length) : call(SYS_write, fd, (long)from, (long)length, 0, 0, 0);
}

ssize_t writev(int fd, const struct iovec* from, int pieces) {
  return shim_kind(fd) ? put(fd, from, pieces) : call(SYS_writev, fd, (long)from, pieces, 0, 0, 0);
}

ssize_t send(int fd, const void* from, size_t length, int flags) {
  if (shim_kind(fd)) return put_one(fd, from, length);
  return call(SYS_sendto, fd, (long)from, (long)length, flags, 0, 0);
}

ssize_t sendto(int fd, const void* from, size_t length, int flags, const struct sockaddr* to, socklen_t room) {
  if (shim_kind(fd)) return put_one(fd, from, length);
  if (shim_on && to && to->sa_family != AF_UNIX) {
    shim_refuse("uses sockets without a connection", "");
    return failed(ENETUNREACH);
  }
  return call(SYS_sendto, fd, (long)from, (long)length, flags, (long)to, room);
}

ssize_t sendmsg(int fd, const struct msghdr* message, int flags) {
  if (shim_kind(fd)) return put(fd, message->msg_iov, (int)message->msg_iovlen);
  return call(SYS_sendmsg, fd, (long)message, flags, 0, 0, 0);
}

/* What is sent so does not pass the program. */
ssize_t sendfile(int to, int from, off_t* at, size_t most) {
  if (!shim_kind(to) && !shim_kind(from)) return call(SYS_sendfile, to, from, (long)at, (long)most, 0, 0);
  shim_refuse("sends a file as a whole", "");
  return failed(EINVAL);
}

ssize_t sendfile64(int to, int from, off_t* at, size_t most) __attribute__((alias("sendfile")));

ssize_t splice(int from, off_t* at, int to, off_t* there, size_t most, unsigned flags) {
  if (!shim_kind(to) && !shim_kind(from)) {
    return call(SYS_splice, from, (long)at, to, (long)there, (long)most, (long)flags);
  }
  shim_refuse("sends a pipe as a whole", "");
  return failed(EINVAL);
}
