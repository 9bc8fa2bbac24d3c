/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are sources of chance or tell of the machine, and what would make one process of several. */
#include "shim.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include "raw.h"

enum { random_bytes = 1 << 16 };

static int failed(int error) {
  errno = error;
  return -1;
}

static int file_of(const void* bytes, size_t length, int flags) {
  const int fd = (int)call(SYS_memfd_create, (long)"lockproof", flags & O_CLOEXEC ? MFD_CLOEXEC : 0, 0, 0, 0, 0);
  raw(SYS_write, fd, (long)bytes, (long)length, 0, 0, 0);
  raw(SYS_lseek, fd, 0, SEEK_SET, 0, 0, 0);
  const struct timespec long_ago[2] = {{0, 0}, {0, 0}}; /* see times.c: it is none that the program writes */
  raw(SYS_utimensat, fd, 0, (long)long_ago, 0, 0, 0);
  return fd;
}

/* Of drawn bytes. */
static int random_file(int flags) {
  static unsigned char some[random_bytes];
  shim_draw(some, sizeof some);
  return file_of(some, sizeof some, flags);
}

/* Of this name in the folder of processors: it lists them, or those that could be. */
static int lists_processors(const char* path) {
  static const char folder[] = "/sys/devices/system/cpu/";
  if (strncmp(path, folder, sizeof folder - 1) != 0) return 0;
  const char* const name = path + sizeof folder - 1;
  return !strcmp(name, "online") || !strcmp(name, "possible") || !strcmp(name, "present");
}

/* "/proc/4242/stat", by the number that it has here, as the kernel has it. */
static const char* own_folder(const char* path, char* into, size_t room) {
  static const char proc[] = "/proc/", self[] = "/proc/self";
  if (strncmp(path, proc, sizeof proc - 1) != 0) return path;
  const char* rest = path + sizeof proc - 1;
  long number = 0;
  for (; *rest >= '0' && *rest <= '9' && number < INT_MAX; ++rest) number = number * 10 + (*rest - '0');
  if (number < shim_pid || number >= shim_pid + shim_threads) return path;
  if (sizeof self + strlen(rest) > room) return path;
  memcpy(into, self, sizeof self - 1);
  memcpy(into + sizeof self - 1, rest, strlen(rest) + 1);
  return into;
}

int shim_open(int folder, const char* path, int flags, int mode) {
  char own[256];
  if (shim_on && path) {
    path = own_folder(path, own, sizeof own);
    if (!strcmp(path, "/dev/urandom") || !strcmp(path, "/dev/random")) return random_file(flags);
    if (lists_processors(path)) return file_of("0\n", 2, flags);
    if (strstr(path, "libuuid/clock")) return failed(ENOENT); /* all processes of the machine share it */
    char text[shim_proc_most];
    const size_t length = shim_proc(path, text);
    if (length > 0) return file_of(text, length, flags);
  }
  return (int)call(SYS_openat, folder, (long)path, flags, mode, 0, 0);
}

static int mode_of(int flags, va_list rest) { return flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, int) : 0; }

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const int mode = mode_of(flags, rest);
  va_end(rest);
  return shim_open(AT_FDCWD, path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const int mode = mode_of(flags, rest);
  va_end(rest);
  return shim_open(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const int mode = mode_of(flags, rest);
  va_end(rest);
  return shim_open(folder, path, flags, mode);
}

int openat64(int folder, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const int mode = mode_of(flags, rest);
  va_end(rest);
  return shim_open(folder, path, flags, mode);
}

/* A lock of the machine's, which it shares with its copies: it must not wait for them. */
int flock(int fd, int operation) {
  if (shim_on && operation != LOCK_UN) {
    shim_remark("locks a file", "");
    operation |= LOCK_NB;
  }
  return (int)call(SYS_flock, fd, operation, 0, 0, 0, 0);
}

/* Runtimes mark pages so that a child process would not have them; a copy needs them all. */
int madvise(void* at, size_t length, int advice) {
  if (shim_on && (advice == MADV_DONTFORK || advice == MADV_WIPEONFORK)) return 0;
  return (int)call(SYS_madvise, (long)at, (long)length, advice, 0, 0, 0);
}

static int refuse_process(void) {
  shim_refuse("starts another process", "");
  return failed(EPERM);
}

/* Nothing of a child would be under lockproof. */
pid_t fork(void) { return refuse_process(); }

pid_t vfork(void) { return refuse_process(); }

int posix_spawn(pid_t* restrict pid, const char* restrict path, const posix_spawn_file_actions_t* restrict actions,
                const posix_spawnattr_t* restrict attributes, char* const words[restrict],
                char* const environment[restrict]) {
  (void)pid, (void)path, (void)actions, (void)attributes, (void)words, (void)environment;
  refuse_process();
  return EPERM;
}

int posix_spawnp(pid_t* restrict pid, const char* restrict file, const posix_spawn_file_actions_t* restrict actions,
                 const posix_spawnattr_t* restrict attributes, char* const words[restrict],
                 char* const environment[restrict]) {
  return posix_spawn(pid, file, actions, attributes, words, environment);
}

int system(const char* command) { return command ? refuse_process() : 0; /* there is no shell */ }

FILE* popen(const char* command, const char* mode) {
  (void)command, (void)mode;
  refuse_process();
  return NULL;
}

/* Another program in its place would be without the shim. */
static int refuse_program(void) {
  shim_refuse("runs another program in its place", "");
  return failed(EPERM);
}

int execve(const char* path, char* const words[], char* const environment[]) {
  return shim_on ? refuse_program() : (int)call(SYS_execve, (long)path, (long)words, (long)environment, 0, 0, 0);
}

int execv(const char* path, char* const words[]) { return execve(path, words, environ); }

int execvpe(const char* file, char* const words[], char* const environment[]) {
  (void)file, (void)words, (void)environment;
  return refuse_program();
}

int execvp(const char* file, char* const words[]) { return execvpe(file, words, environ); }

int fexecve(int fd, char* const words[], char* const environment[]) {
  (void)fd, (void)words, (void)environment;
  return refuse_program();
}
