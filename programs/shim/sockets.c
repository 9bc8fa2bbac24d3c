/* SPDX-License-Identifier: Apache-2.0 */
/* Sockets that are memory. A connection to an internet address never reaches the kernel: its descriptor stays an
   unconnected socket, so that flags and options need nothing from here; what was received lies in pages of the process.
   A copy of the process therefore has a network of its own. */
#include "shim.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/un.h>

#include "raw.h"
#include "wire.h"

enum { received_most = 1 << 18, first_port = 40000 };

static struct stream streams[fds_most];
static uint32_t connections = 1; /* 0 is standard input, 1 standard output */

void shim_begin_sockets(void) {
  streams[0].kind = is_input;
  streams[1].kind = is_output;
  streams[1].number = 1;
}

int shim_kind(int fd) { return shim_on && fd >= 0 && fd < fds_most ? streams[fd].kind : not_ours; }

struct stream* shim_stream(int fd) {
  return &streams[fd];
}

struct stream* shim_stream_of(uint32_t number) {
  for (int fd = 0; fd < fds_most; ++fd) {
    const int kind = streams[fd].kind;
    if ((kind == is_connection || kind == is_input) && streams[fd].number == number) return &streams[fd];
  }
  return NULL;
}

struct stream* shim_begin_stream(int fd, int kind) {
  if (fd < 0 || fd >= fds_most) return NULL;
  streams[fd] = (struct stream){.kind = kind};
  return &streams[fd];
}

int shim_readable(int fd) {
  const struct stream* s = &streams[fd];
  if (s->kind == is_event) return s->count > 0;
  if (s->kind == is_set) return shim_set_is_ready(fd);
  return s->length > 0 || s->ended || s->broken;
}

size_t shim_room(const struct stream* s) { return received_most - s->length; }

void shim_received(struct stream* s, const void* bytes, size_t length) {
  if (!s->bytes) {
    s->bytes = (void*)raw(SYS_mmap, 0, received_most, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  if (length > shim_room(s)) shim_give_up("leaves too much unread of what it is sent");
  memcpy(s->bytes + s->length, bytes, length);
  s->length += length;
}

static int refused(int error) {
  errno = error;
  return -1;
}

/* "127.0.0.1:6379" */
static size_t address(const struct sockaddr* to, char* text, size_t room) {
  const int v6 = to->sa_family == AF_INET6;
  const void* host = v6 ? (const void*)&((const struct sockaddr_in6*)to)->sin6_addr
                        : (const void*)&((const struct sockaddr_in*)to)->sin_addr;
  unsigned port = ntohs(v6 ? ((const struct sockaddr_in6*)to)->sin6_port : ((const struct sockaddr_in*)to)->sin_port);
  const int mapped = v6 && IN6_IS_ADDR_V4MAPPED((const struct in6_addr*)host); /* the last four of its bytes */
  inet_ntop(mapped ? AF_INET : to->sa_family, mapped ? (const char*)host + 12 : host, text, (socklen_t)(room - 6));
  size_t length = strlen(text);
  text[length++] = ':';
  char digits[6];
  int count = 0;
  do digits[count++] = (char)('0' + port % 10);
  while ((port /= 10) != 0);
  while (count > 0) text[length++] = digits[--count];
  return length;
}

int connect(int fd, const struct sockaddr* to, socklen_t length) {
  if (!shim_on) return (int)call(SYS_connect, fd, (long)to, length, 0, 0, 0);
  if (to->sa_family == AF_UNIX) return refused(ECONNREFUSED); /* what is there is shared by all copies */
  if ((to->sa_family != AF_INET && to->sa_family != AF_INET6) || fd < 0 || fd >= fds_most) return refused(ENETUNREACH);
  int type = 0;
  socklen_t room = sizeof type;
  raw(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, (long)&type, (long)&room, 0);
  if (type != SOCK_STREAM) {
    shim_refuse("uses sockets without a connection", "");
    return refused(ENETUNREACH);
  }
  struct stream* const s = &streams[fd];
  if (s->kind == is_connection) return refused(EISCONN);
  *s = (struct stream){.kind = is_connection, .number = ++connections};
  s->peer_length = length < sizeof s->peer ? length : sizeof s->peer;
  memcpy(&s->peer, to, s->peer_length);
  char text[INET6_ADDRSTRLEN + 8];
  shim_record(lockproof_connects, s->number, text, address(to, text, sizeof text));
  if (raw(SYS_fcntl, fd, F_GETFL, 0, 0, 0, 0) & O_NONBLOCK) return refused(EINPROGRESS);
  return 0;
}

static int answer(const void* name, socklen_t length, struct sockaddr* into, socklen_t* room) {
  memcpy(into, name, length < *room ? length : *room);
  *room = length;
  return 0;
}

int getpeername(int fd, struct sockaddr* restrict into, socklen_t* restrict room) {
  if (shim_kind(fd) != is_connection) return (int)call(SYS_getpeername, fd, (long)into, (long)room, 0, 0, 0);
  return answer(&streams[fd].peer, streams[fd].peer_length, into, room);
}

int getsockname(int fd, struct sockaddr* restrict into, socklen_t* restrict room) {
  if (shim_kind(fd) != is_connection) return (int)call(SYS_getsockname, fd, (long)into, (long)room, 0, 0, 0);
  const struct sockaddr_in name = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)(first_port + streams[fd].number)),
                                   .sin_addr = {htonl(INADDR_LOOPBACK)}};
  return answer(&name, sizeof name, into, room);
}

int listen(int fd, int backlog) {
  if (!shim_on) return (int)call(SYS_listen, fd, backlog, 0, 0, 0, 0);
  shim_refuse("listens for connections", "");
  return refused(EACCES);
}

/* The copy would be the kernel's, which knows of no connection. */
static int is_to_be_copied(int fd) {
  if (shim_kind(fd) != is_connection) return 1;
  shim_refuse("copies the descriptor of a connection", "");
  return 0;
}

int dup(int fd) { return is_to_be_copied(fd) ? (int)call(SYS_dup, fd, 0, 0, 0, 0, 0) : refused(EMFILE); }

int dup3(int fd, int to, int flags) {
  return is_to_be_copied(fd) ? (int)call(SYS_dup3, fd, to, flags, 0, 0, 0) : refused(EMFILE);
}

int dup2(int fd, int to) {
  if (fd == to) return call(SYS_fcntl, fd, F_GETFD, 0, 0, 0, 0) < 0 ? -1 : fd;
  return dup3(fd, to, 0);
}

int fcntl(int fd, int what, ...) {
  va_list rest;
  va_start(rest, what);
  const long argument = va_arg(rest, long);
  va_end(rest);
  if (what == F_SETLK || what == F_SETLKW || what == F_OFD_SETLK || what == F_OFD_SETLKW) {
    shim_remark("locks a file", "");
    what = what == F_SETLKW ? F_SETLK : what == F_OFD_SETLKW ? F_OFD_SETLK : what; /* it must not wait for others */
  }
  const int copies = what == F_DUPFD || what == F_DUPFD_CLOEXEC;
  return !copies || is_to_be_copied(fd) ? (int)call(SYS_fcntl, fd, what, argument, 0, 0, 0) : refused(EMFILE);
}

int fcntl64(int fd, int what, ...) __attribute__((alias("fcntl")));

static void hang_up(struct stream* s) {
  if (!s->shut) shim_record(lockproof_closes, s->number, "", 0);
  s->shut = 1;
}

int shutdown(int fd, int how) {
  if (shim_kind(fd) != is_connection) return (int)call(SYS_shutdown, fd, how, 0, 0, 0, 0);
  if (how == SHUT_RD) return 0;
  hang_up(&streams[fd]);
  if (how == SHUT_RDWR) streams[fd].ended = 1;
  return 0;
}

int close(int fd) {
  const int kind = shim_kind(fd);
  if (kind == is_connection) hang_up(&streams[fd]);
  if (kind == is_pipe_in || kind == is_pipe_out) shim_close_pipe(&streams[fd]);
  if (kind != not_ours) {
    if (streams[fd].bytes) raw(SYS_munmap, (long)streams[fd].bytes, received_most, 0, 0, 0, 0);
    streams[fd] = (struct stream){0};
  }
  if (shim_on && fd >= 0 && fd < fds_most) shim_forget_watched(fd);
  if (shim_on && fd == lockproof_control_fd) return 0; /* of who closes all that it finds */
  return (int)call(SYS_close, fd, 0, 0, 0, 0, 0);
}
