/* SPDX-License-Identifier: Apache-2.0 */
/* Frames and orders, and the beginning and end of a program under the shim. */
#include "shim.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "raw.h"
#include "wire.h"

/* Exit statuses of a program that the shim ends. */
enum { given_up = 96, control_lost = 97 };
enum { text_most = 96, refusals_most = 16 };

int shim_on;
int shim_pauses_at_sends;
unsigned shim_inputs;
int64_t shim_mono_ns, shim_wall_ns, shim_boot_ns;

static struct {
  struct lockproof_frame head;
  unsigned char records[lockproof_frame_most];
} __attribute__((packed)) frame;
static size_t said;        /* bytes of records */
static size_t last_record; /* where it begins */
static unsigned refusals;  /* in this frame */
static unsigned char order_bytes[lockproof_order_most];

static void die(int status) {
  for (;;) raw(SYS_exit_group, status, 0, 0, 0, 0, 0);
}

static const char too_much[] = "sends or says too much in one step";

void shim_record(uint8_t kind, uint32_t connection, const void* bytes, size_t length) {
  const struct lockproof_record head = {kind, connection, 0};
  if (said + sizeof head > sizeof frame.records) shim_give_up(too_much);
  last_record = said;
  memcpy(frame.records + said, &head, sizeof head);
  said += sizeof head;
  ++frame.head.records;
  shim_add_to_record(bytes, length);
}

void shim_add_to_record(const void* bytes, size_t length) {
  struct lockproof_record head;
  if (length > sizeof frame.records - said) shim_give_up(too_much);
  memcpy(frame.records + said, bytes, length);
  said += length;
  memcpy(&head, frame.records + last_record, sizeof head);
  head.length += (uint32_t)length;
  memcpy(frame.records + last_record, &head, sizeof head);
}

static size_t join(char* text, const char* what, const char* object) {
  size_t length = 0;
  for (const char* part = what; *part && length < text_most - 1; ++part) text[length++] = *part;
  for (const char* part = object; *part && length < text_most - 1; ++part) text[length++] = *part;
  text[length] = 0;
  return length;
}

/* Once for each pair of texts, as far as there is room to remember them. */
void shim_remark(const char* what, const char* object) {
  static char told[64][text_most];
  char text[text_most];
  const size_t length = join(text, what, object);
  for (size_t i = 0; i < sizeof told / sizeof *told; ++i) {
    if (!strcmp(told[i], text)) return;
    if (told[i][0]) continue;
    memcpy(told[i], text, length + 1);
    shim_record(lockproof_remarks, 0, text, length);
    return;
  }
}

void shim_refuse(const char* what, const char* object) {
  char text[text_most];
  if (refusals++ < refusals_most) shim_record(lockproof_refuses, 0, text, join(text, what, object));
}

static void begin_frame(void) {
  said = 0;
  refusals = 0;
  frame.head.records = 0;
}

static void send_frame(uint8_t kind, int64_t value) {
  frame.head.kind = kind;
  frame.head.value = value;
  frame.head.threads = shim_other_threads();
  const long length = (long)(sizeof frame.head + said);
  long sent;
  do sent = raw(SYS_sendto, lockproof_control_fd, (long)&frame, length, MSG_NOSIGNAL, 0, 0);
  while (sent == -EINTR);
  if (sent == -EMSGSIZE) shim_give_up(too_much); /* the kernel has less room than the frame */
  if (sent != length) die(control_lost);
  begin_frame();
}

void shim_give_up(const char* why) {
  begin_frame();
  shim_refuse(why, "");
  shim_end(given_up);
}

/* A copy goes on under another control socket; its parent is lockproof, as of the original. */
static void copy(int socket) {
  const long parents = raw(SYS_getppid, 0, 0, 0, 0, 0, 0);
  const long made = raw(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0, 0);
  if (made != 0) {
    raw(SYS_close, socket, 0, 0, 0, 0, 0);
    send_frame(lockproof_copied, made);
    return;
  }
  raw(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0, 0);
  if (raw(SYS_getppid, 0, 0, 0, 0, 0, 0) != parents) die(0);
  raw(SYS_dup3, socket, lockproof_control_fd, O_CLOEXEC, 0, 0, 0);
  raw(SYS_close, socket, 0, 0, 0, 0, 0);
  shim_forget_other_threads();
}

/* The length of the order; its descriptor, if it has one. */
static size_t take_order(int* socket) {
  union {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(sizeof(int))];
  } ancillary;
  struct iovec bytes = {order_bytes, sizeof order_bytes};
  struct msghdr message = {0};
  long length;
  *socket = -1;
  do {
    message.msg_iov = &bytes;
    message.msg_iovlen = 1;
    message.msg_control = &ancillary;
    message.msg_controllen = sizeof ancillary;
    length = raw(SYS_recvmsg, lockproof_control_fd, (long)&message, 0, 0, 0, 0);
  } while (length == -EINTR);
  if (length < (long)sizeof(struct lockproof_order)) die(control_lost);
  const struct cmsghdr* with = CMSG_FIRSTHDR(&message);
  if (with) memcpy(socket, CMSG_DATA(with), sizeof *socket);
  return (size_t)length;
}

void shim_wait(int64_t until) {
  shim_readings = 0;
  ++shim_inputs;
  send_frame(lockproof_waits, until);
  struct lockproof_order order;
  for (;;) {
    int socket;
    const size_t length = take_order(&socket);
    memcpy(&order, order_bytes, sizeof order);
    if (order.length != length - sizeof order) die(control_lost);
    if (order.kind != lockproof_copy) break;
    copy(socket);
  }
  shim_mono_ns = order.mono_ns;
  shim_wall_ns = order.wall_ns;
  shim_boot_ns = order.boot_ns;
  struct stream* const stream = order.kind == lockproof_time ? NULL : shim_stream_of(order.connection);
  if (!stream) return;
  if (order.kind == lockproof_bytes) shim_received(stream, order_bytes + sizeof order, order.length);
  if (order.kind == lockproof_reset) stream->broken = 1;
  if (order.kind == lockproof_end) stream->ended = 1;
}

void shim_end(int status) {
  send_frame(lockproof_ended, status);
  die(status);
}

static int64_t number(const char** text) {
  char* end;
  const int64_t value = strtoll(*text, &end, 10);
  *text = *end ? end + 1 : end;
  return value;
}

/* LOCKPROOF_SHIM=socket:seed:mono:wall:pauses:files, the times in nanoseconds; pauses is 1 if it can be paused at
   sends; files: see times.c. A program that was not started by lockproof runs as it is. */
__attribute__((constructor)) static void begin(void) {
  const char* settings = getenv("LOCKPROOF_SHIM");
  if (!settings) return;
  const int socket = (int)number(&settings);
  raw(SYS_dup3, socket, lockproof_control_fd, O_CLOEXEC, 0, 0, 0);
  raw(SYS_close, socket, 0, 0, 0, 0, 0);
  shim_seed((uint64_t)number(&settings));
  shim_mono_ns = shim_boot_ns = number(&settings);
  shim_wall_ns = number(&settings);
  shim_pauses_at_sends = (int)number(&settings);
  shim_files_from_ns = number(&settings);
  shim_draw((void*)getauxval(AT_RANDOM), 16); /* bytes from the kernel */
  unsetenv("LOCKPROOF_SHIM");
  unsetenv("LD_PRELOAD");
  shim_begin_sockets();
  shim_begin_threads();
  send_frame(lockproof_begins, 0);
  shim_on = 1;
  shim_trap();
}
