/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers are drawn from a seed (xorshift64*), and the process and its threads always have the same numbers. */
#include "shim.h"

#include <sys/random.h>
#include <unistd.h>

#include "raw.h"

static uint64_t state;

void shim_seed(uint64_t seed) { state = seed * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u; }

void shim_draw(void* into, size_t length) {
  unsigned char* bytes = into;
  for (size_t i = 0; i < length; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    bytes[i] = (unsigned char)(state * 0x2545f4914f6cdd1du >> 33);
  }
}

ssize_t getrandom(void* into, size_t length, unsigned flags) {
  if (!shim_on) return call(SYS_getrandom, (long)into, (long)length, flags, 0, 0, 0);
  shim_draw(into, length);
  return (ssize_t)length;
}

int getentropy(void* into, size_t length) { return getrandom(into, length, 0) < 0 ? -1 : 0; }

pid_t getpid(void) { return shim_on ? shim_pid : (pid_t)raw(SYS_getpid, 0, 0, 0, 0, 0, 0); }

pid_t getppid(void) { return shim_on ? shim_pid - 1 : (pid_t)raw(SYS_getppid, 0, 0, 0, 0, 0, 0); }

pid_t gettid(void) { return shim_on ? shim_pid + shim_thread() : (pid_t)raw(SYS_gettid, 0, 0, 0, 0, 0, 0); }
