/* SPDX-License-Identifier: Apache-2.0 */
/* poll and select: of the shim's own descriptors by what they have received, of the kernel's by asking it. */
#include "shim.h"

#include <errno.h>
#include <poll.h>
#include <sys/select.h>
#include <time.h>

#include "raw.h"

enum { polled_most = 256 };

static int64_t until_after(const struct timespec* wait) {
  return wait ? shim_after(wait->tv_sec * 1000000000LL + wait->tv_nsec) : -1;
}

static int writable(int fd) {
  const struct stream* s = shim_stream(fd);
  if (s->kind == is_pipe_in) return s->broken || shim_room(shim_stream(s->other)) > 0;
  return s->kind == is_connection || s->kind == is_output || s->kind == is_event;
}

short shim_ready(int fd, short wanted) {
  const struct stream* s = shim_stream(fd);
  short ready = 0;
  if ((wanted & POLLIN) && shim_readable(fd)) ready |= POLLIN;
  if ((wanted & POLLOUT) && writable(fd)) ready |= POLLOUT;
  if ((wanted & POLLRDHUP) && s->ended) ready |= POLLRDHUP;
  if (s->broken) ready |= POLLERR | POLLHUP;
  if (s->kind == is_pipe_out && s->ended) ready |= POLLHUP;
  return ready;
}

static int look(struct pollfd* fds, nfds_t count) {
  struct pollfd kernel[polled_most];
  nfds_t place[polled_most], asked = 0;
  int ready = 0;
  for (nfds_t i = 0; i < count; ++i) {
    fds[i].revents = shim_kind(fds[i].fd) ? shim_ready(fds[i].fd, fds[i].events) : 0;
    ready += fds[i].revents != 0;
    if (shim_kind(fds[i].fd) || fds[i].fd < 0 || asked == polled_most) continue;
    kernel[asked] = fds[i];
    place[asked++] = i;
  }
  const struct timespec at_once = {0, 0};
  if (asked == 0 || raw(SYS_ppoll, (long)kernel, (long)asked, (long)&at_once, 0, 8, 0) <= 0) return ready;
  for (nfds_t k = 0; k < asked; ++k) {
    fds[place[k]].revents = kernel[k].revents;
    ready += kernel[k].revents != 0;
  }
  return ready;
}

struct polled {
  struct pollfd* fds;
  nfds_t count;
};

static int has_come(const void* polled) {
  const struct polled* const all = polled;
  return look(all->fds, all->count) > 0;
}

static int look_until(struct pollfd* fds, nfds_t count, int64_t until) {
  const int waits = until < 0 || until > shim_mono_ns;
  for (;;) {
    const int ready = look(fds, count);
    if (ready == 0 && !waits) shim_look_in_vain();
    if (ready > 0 || (until >= 0 && shim_mono_ns >= until)) return ready;
    shim_wait_until(has_come, &(struct polled){fds, count}, until);
  }
}

int poll(struct pollfd* fds, nfds_t count, int ms) {
  const struct timespec wait = {ms / 1000, ms % 1000 * 1000000L};
  return ppoll(fds, count, ms < 0 ? NULL : &wait, NULL);
}

int ppoll(struct pollfd* fds, nfds_t count, const struct timespec* wait, const sigset_t* mask) {
  if (!shim_on) return (int)call(SYS_ppoll, (long)fds, (long)count, (long)wait, (long)mask, 8, 0);
  return look_until(fds, count, until_after(wait));
}

static int wants(int fd, const fd_set* set) { return set && FD_ISSET(fd, set); }

static int keep(int fd, fd_set* set, int is_ready) {
  if (!set || !FD_ISSET(fd, set)) return 0;
  if (!is_ready) FD_CLR(fd, set);
  return is_ready;
}

int pselect(int count, fd_set* restrict in, fd_set* restrict out, fd_set* restrict exceptions,
            const struct timespec* restrict wait, const sigset_t* restrict mask) {
  if (!shim_on) return (int)call(SYS_pselect6, count, (long)in, (long)out, (long)exceptions, (long)wait, (long)mask);
  struct pollfd fds[polled_most];
  nfds_t asked = 0;
  for (int fd = 0; fd < count && asked < polled_most; ++fd) {
    const short events = (short)((wants(fd, in) ? POLLIN : 0) | (wants(fd, out) ? POLLOUT : 0));
    if (events) fds[asked++] = (struct pollfd){.fd = fd, .events = events};
  }
  look_until(fds, asked, until_after(wait));
  if (exceptions) FD_ZERO(exceptions);
  int ready = 0;
  for (nfds_t i = 0; i < asked; ++i) {
    ready += keep(fds[i].fd, in, (fds[i].revents & (POLLIN | POLLHUP | POLLERR)) != 0);
    ready += keep(fds[i].fd, out, (fds[i].revents & (POLLOUT | POLLERR)) != 0);
  }
  return ready;
}

int select(int count, fd_set* restrict in, fd_set* restrict out, fd_set* restrict exceptions,
           struct timeval* restrict wait) {
  struct timespec as = {0, 0};
  if (wait) as = (struct timespec){wait->tv_sec, wait->tv_usec * 1000L};
  const int ready = pselect(count, in, out, exceptions, wait ? &as : NULL, NULL);
  if (!shim_on && wait) *wait = (struct timeval){as.tv_sec, as.tv_nsec / 1000}; /* the kernel says what is left */
  return ready;
}
