/* SPDX-License-Identifier: Apache-2.0 */
/* epoll of the shim's own descriptors, beside the kernel's for all others. */
#include "shim.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>

#include "raw.h"

enum { watched_most = 64, sets_most = 32 };

struct watched {
  int fd;
  struct epoll_event event;
};
static struct set {
  int fd; /* 0: it is free */
  int count;
  int has_kernels; /* descriptors that the kernel serves */
  struct watched watched[watched_most];
} sets[sets_most];

static struct set* set_of(int fd) {
  for (int i = 0; i < sets_most; ++i) {
    if (sets[i].fd == fd && fd > 0) return &sets[i];
  }
  return NULL;
}

static int find(const struct set* set, int fd) {
  int i = 0;
  while (i < set->count && set->watched[i].fd != fd) ++i;
  return i;
}

static void forget(struct set* set, int i) {
  memmove(&set->watched[i], &set->watched[i + 1], sizeof(struct watched) * (size_t)(set->count - i - 1));
  --set->count;
}

void shim_forget_watched(int fd) {
  for (int k = 0; k < sets_most; ++k) {
    if (sets[k].fd == 0) continue;
    const int i = find(&sets[k], fd);
    if (i < sets[k].count) forget(&sets[k], i);
  }
  struct set* const itself = set_of(fd);
  if (itself) *itself = (struct set){0};
}

static int failed(int error) {
  errno = error;
  return -1;
}

int epoll_create1(int flags) {
  const int fd = (int)call(SYS_epoll_create1, flags, 0, 0, 0, 0, 0);
  if (!shim_on || fd < 0) return fd;
  int i = 0;
  while (i < sets_most && sets[i].fd != 0) ++i;
  if (i == sets_most || !shim_begin_stream(fd, is_set)) {
    raw(SYS_close, fd, 0, 0, 0, 0, 0);
    return failed(EMFILE);
  }
  sets[i].fd = fd;
  return fd;
}

int epoll_create(int size) { return size > 0 ? epoll_create1(0) : failed(EINVAL); }

int epoll_ctl(int at, int order, int fd, struct epoll_event* event) {
  struct set* const set = set_of(at);
  if (!set || !shim_kind(fd)) {
    if (set) set->has_kernels = 1;
    return (int)call(SYS_epoll_ctl, at, order, fd, (long)event, 0, 0);
  }
  const int i = find(set, fd);
  if (order == EPOLL_CTL_ADD) {
    if (i < set->count) return failed(EEXIST);
    if (set->count == watched_most) return failed(ENOSPC);
    set->watched[set->count++] = (struct watched){fd, *event};
    return 0;
  }
  if (i == set->count) return failed(ENOENT);
  if (order == EPOLL_CTL_MOD) set->watched[i].event = *event;
  if (order == EPOLL_CTL_DEL) forget(set, i);
  return 0;
}

static uint32_t events_of(const struct watched* watched) {
  const uint32_t wanted = watched->event.events;
  return wanted == 0 ? 0 : (uint32_t)shim_ready(watched->fd, (short)(wanted & 0xffff)); /* poll's bits are the same */
}

/* What is reported once only is reported no more. Edges are served as levels. */
static int look(struct set* set, struct epoll_event* into, int most) {
  int ready = 0;
  for (int i = 0; i < set->count && ready < most; ++i) {
    struct epoll_event* const event = &set->watched[i].event;
    const uint32_t events = events_of(&set->watched[i]);
    if (!events) continue;
    into[ready] = *event;
    into[ready++].events = events;
    if (event->events & EPOLLONESHOT) event->events = 0;
    if (event->events & EPOLLET) shim_remark("waits for edges of epoll, which are served as levels", "");
  }
  if (ready == most || !set->has_kernels) return ready;
  const long kernel = raw(SYS_epoll_pwait, set->fd, (long)(into + ready), most - ready, 0, 0, 8);
  return kernel > 0 ? ready + (int)kernel : ready;
}

int shim_set_is_ready(int fd) {
  const struct set* const set = set_of(fd);
  for (int i = 0; i < set->count; ++i) {
    if (events_of(&set->watched[i])) return 1;
  }
  struct epoll_event one;
  return set->has_kernels && raw(SYS_epoll_pwait, fd, (long)&one, 1, 0, 0, 8) > 0;
}

static int has_come(const void* fd) { return shim_set_is_ready(*(const int*)fd); }

static int look_until(int at, struct epoll_event* into, int most, int64_t until) {
  const int waits = until < 0 || until > shim_mono_ns;
  for (;;) {
    const int ready = look(set_of(at), into, most);
    if (ready == 0 && !waits) shim_look_in_vain();
    if (ready > 0 || (until >= 0 && shim_mono_ns >= until)) return ready;
    shim_wait_until(has_come, &at, until);
  }
}

int epoll_pwait(int at, struct epoll_event* into, int most, int ms, const sigset_t* mask) {
  if (!set_of(at)) return (int)call(SYS_epoll_pwait, at, (long)into, most, ms, (long)mask, 8);
  return look_until(at, into, most, ms < 0 ? -1 : shim_after(ms * 1000000LL));
}

int epoll_pwait2(int at, struct epoll_event* into, int most, const struct timespec* wait, const sigset_t* mask) {
  if (!set_of(at)) return (int)call(SYS_epoll_pwait2, at, (long)into, most, (long)wait, (long)mask, 8);
  return look_until(at, into, most, wait ? shim_after(wait->tv_sec * 1000000000LL + wait->tv_nsec) : -1);
}

int epoll_wait(int at, struct epoll_event* into, int most, int ms) { return epoll_pwait(at, into, most, ms, NULL); }
