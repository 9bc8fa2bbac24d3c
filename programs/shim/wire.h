/* SPDX-License-Identifier: Apache-2.0 */
/* What the shim and lockproof say to each other over the control socket: packets of bytes, little endian, without gaps.
   The shim sends a frame when its program would wait, and takes one order before it goes on. C, since the shim is. */
#pragma once

#include <stdint.h>

enum {
  lockproof_control_fd = 1000,    /* the control socket, in the program */
  lockproof_frame_most = 1 << 20, /* bytes of a frame */
  lockproof_order_most = 1 << 16  /* bytes of an order */
};

/* Kinds of frame. `value`: until when it waits, in nanoseconds of the monotonic clock, or -1; a process id; an exit
   status. */
enum { lockproof_begins = 'B', lockproof_waits = 'W', lockproof_copied = 'P', lockproof_ended = 'X' };

/* Kinds of record: what has left the program since the last frame, in order. */
enum {
  lockproof_connects = 'C', /* "127.0.0.1:6379" */
  lockproof_sends = 'S',    /* bytes on a connection */
  lockproof_closes = 'Q',
  lockproof_says = 'L',   /* bytes on standard output */
  lockproof_remarks = 'G', /* what the shim noticed, for people */
  lockproof_refuses = 'N'  /* what it has just refused the program, for people: virtual time does not have that */
};

/* Kinds of order. Each but `copy` is an input: it sets the clocks and lets the program go on. */
enum {
  lockproof_time = 'T',  /* time has come */
  lockproof_bytes = 'D', /* bytes for a connection, or for standard input */
  lockproof_reset = 'R', /* the connection is broken */
  lockproof_end = 'E',   /* end of file */
  lockproof_copy = 'F'   /* a copy of this process goes on, under the control socket that comes with the order */
};

struct __attribute__((packed)) lockproof_frame {
  uint8_t kind;
  int64_t value;
  uint32_t threads; /* that live beside the one that waits: a copy has none of them */
  uint32_t records;
};

struct __attribute__((packed)) lockproof_record {
  uint8_t kind;
  uint32_t connection; /* 0: standard input, 1: standard output */
  uint32_t length;     /* of the bytes that follow */
};

struct __attribute__((packed)) lockproof_order {
  uint8_t kind;
  int64_t mono_ns, wall_ns, boot_ns;
  uint32_t connection;
  uint32_t length; /* of the bytes that follow */
};
