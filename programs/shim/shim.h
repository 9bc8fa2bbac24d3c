/* SPDX-License-Identifier: Apache-2.0 */
/* The shim makes of an unmodified program a function of what reaches it. Time stands still while the program runs; when
   it would wait, one frame tells lockproof what it did and until when it waits, and one order wakes it. Its sockets are
   memory, its threads run one at a time, its random numbers are drawn from a seed.

   Nothing here allocates: a trapped system call may come from the middle of malloc. */
#pragma once

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>

#pragma GCC visibility push(hidden)

enum { fds_most = 1024 };

/* control.c: frames and orders. */
extern int shim_on;                                      /* the program is under lockproof */
extern int64_t shim_mono_ns, shim_wall_ns, shim_boot_ns; /* what the clocks show */
void shim_record(uint8_t kind, uint32_t connection, const void* bytes, size_t length);
void shim_add_to_record(const void* bytes, size_t length); /* to the last one */
void shim_remark(const char* what, const char* object);    /* once for each text */
/* For each call that gets an error since virtual time does not have what it asks for, up to some in a frame. */
void shim_refuse(const char* what, const char* object);
void shim_give_up(const char* why); /* what the program did can be neither told nor gone on with; does not return */
void shim_end(int status);          /* does not return */
extern int shim_pauses_at_sends; /* each send is a wait of its own, in which the program can be paused */
extern unsigned shim_inputs;     /* that have been taken */
/* Sends a frame and takes one input. `until`: by the monotonic clock, or -1. */
void shim_wait(int64_t until);

/* threads.c: the baton. A thread runs until it would block; only if none can run does the process wait. */
extern int shim_threads;           /* that have been made, with the first one */
int shim_thread(void);             /* which one this is, from 0 */
unsigned shim_other_threads(void); /* that have not ended */
void shim_sleep(int64_t until);    /* until then */
/* Or until what it waits for has come, which others ask for it while it waits: in a copy it may be a thread that is
   not there. */
void shim_wait_until(int (*has_come)(const void* what), const void* what, int64_t until);
void shim_wait_for_input(void); /* whichever comes next, and the time is one; no time passes by itself */
void shim_wait_on(const void* object, int64_t until); /* or until it is woken */
int shim_was_woken(void);                             /* the last shim_wait_on ended because of shim_wake */
int shim_wake(const void* object, int all);           /* how many it has woken */
void shim_begin_threads(void);
void shim_forget_other_threads(void); /* in a copy, which has only the thread that asked for it */

/* clock.c */
int64_t shim_clock(int clock);                            /* nanoseconds */
int64_t shim_until(int clock, const struct timespec* at); /* an absolute time, by the monotonic clock */
int64_t shim_after(int64_t wait_ns);                      /* the same of a time from now */
int64_t shim_length(const struct timespec* of);           /* nanoseconds */
void shim_look_in_vain(void);                             /* call when nothing was there, and nobody waits for it */
extern unsigned shim_readings;                            /* of clocks, since the last wait */

/* locks.c, machine.c: as the kernel answers. */
long shim_futex(const int* word, int operation, int value, const struct timespec* at);
long shim_affinity(size_t size, unsigned char* mask);

struct statfs;
long shim_statfs(long answer, struct statfs* of);

/* times.c: as the kernel answers. Files that were written later than this, by the machine's clock, are the program's.
 */
extern int64_t shim_files_from_ns;
long shim_stat(long answer, struct stat* of);
long shim_statx(long answer, struct statx* of);

/* proc.c */
enum { shim_proc_most = 512 };
size_t shim_proc(const char* path, char* into);

/* random.c */
void shim_seed(uint64_t seed);
void shim_draw(void* into, size_t length);

/* sockets.c: descriptors that are memory of the shim. */
enum { not_ours = 0, is_connection, is_input, is_output, is_set, is_event, is_pipe_in, is_pipe_out };
struct stream {
  int kind;        /* not_ours: one that the kernel serves */
  uint32_t number; /* of the connection */
  int ended, broken, shut;
  uint64_t count; /* of an event */
  int counts_down;
  int other;            /* end of the pipe */
  unsigned char* bytes; /* received and not read yet; mapped at the first ones */
  size_t length;
  struct sockaddr_storage peer;
  socklen_t peer_length;
};
int shim_kind(int fd);
struct stream* shim_stream(int fd);
struct stream* shim_stream_of(uint32_t number);
struct stream* shim_begin_stream(int fd, int kind); /* null: there is no place for it */
int shim_readable(int fd);
size_t shim_room(const struct stream* stream); /* bytes that it can take */
void shim_received(struct stream* stream, const void* bytes, size_t length);
void shim_begin_sockets(void);

/* readiness.c: bits of poll. */
short shim_ready(int fd, short wanted);

/* epoll.c */
void shim_forget_watched(int fd);
int shim_set_is_ready(int fd);

/* events.c */
ssize_t shim_take_count(struct stream* event, const struct iovec* into, int pieces);
ssize_t shim_add_count(struct stream* event, const struct iovec* from, int pieces);
ssize_t shim_put_in_pipe(const struct stream* end, const struct iovec* from, int pieces);
void shim_close_pipe(const struct stream* end);

enum { shim_pid = 4242 }; /* a thread has the numbers behind it */

/* files.c */
int shim_open(int folder, const char* path, int flags, int mode);

/* trap.c: what does not pass through libc's functions. */
void shim_trap(void);

#pragma GCC visibility pop
