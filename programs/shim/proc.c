/* SPDX-License-Identifier: Apache-2.0 */
/* Files in which the machine tells of itself: those that programs read are the same on every one. Of the others that
   the kernel makes up, lockproof is told that they were read. */
#include "shim.h"

#include <string.h>

static const int64_t second_ns = 1000000000;

/* "01234567-89ab-4cde-8f01-23456789abcd\n" */
static size_t write_uuid(char* into, const unsigned char* bytes) {
  static const char digits[] = "0123456789abcdef";
  size_t length = 0;
  for (int i = 0; i < 16; ++i) {
    const unsigned char byte = i == 6 ? (bytes[i] & 0x0f) | 0x40 : i == 8 ? (bytes[i] & 0x3f) | 0x80 : bytes[i];
    if (i == 4 || i == 6 || i == 8 || i == 10) into[length++] = '-';
    into[length++] = digits[byte >> 4];
    into[length++] = digits[byte & 15];
  }
  into[length++] = '\n';
  return length;
}

static size_t write_uptime(char* into) {
  static const char idle[] = " 0.00\n";
  const int64_t hundredths = shim_boot_ns / (second_ns / 100);
  char digits[24];
  size_t count = 0, length = 0;
  for (int64_t left = hundredths; left > 0 || count < 3; left /= 10) digits[count++] = (char)('0' + left % 10);
  while (count > 0) {
    if (count == 2) into[length++] = '.';
    into[length++] = digits[--count];
  }
  memcpy(into + length, idle, sizeof idle - 1);
  return length + sizeof idle - 1;
}

static size_t write_text(char* into, const char* text) {
  memcpy(into, text, strlen(text));
  return strlen(text);
}

/* How long what the file has is; 0: it is as it is. `into`: shim_proc_most bytes. */
size_t shim_proc(const char* path, char* into) {
  static const unsigned char boot[16] = {0x10, 0xc4};
  static const char* const texts[][2] = {
      {"/etc/hostname", "lockproof\n"},
      {"/etc/machine-id", "10c40000000000000000000000000000\n"},
      {"/var/lib/dbus/machine-id", "10c40000000000000000000000000000\n"},
      {"/proc/sys/kernel/hostname", "lockproof\n"},
      {"/proc/loadavg", "0.00 0.00 0.00 1/1 4242\n"},
      {"/proc/meminfo",
       "MemTotal:        4194304 kB\nMemFree:         2097152 kB\nMemAvailable:    2097152 kB\nBuffers:               "
       "0 kB\n"
       "Cached:                0 kB\nSwapTotal:             0 kB\nSwapFree:              0 kB\n"},
  };
  if (!strcmp(path, "/proc/uptime")) return write_uptime(into);
  if (!strcmp(path, "/proc/sys/kernel/random/boot_id")) return write_uuid(into, boot);
  if (!strcmp(path, "/proc/sys/kernel/random/uuid")) {
    unsigned char bytes[16];
    shim_draw(bytes, sizeof bytes);
    return write_uuid(into, bytes);
  }
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
    if (!strcmp(path, texts[i][0])) return write_text(into, texts[i][1]);
  }
  if (!strncmp(path, "/proc/", sizeof "/proc/" - 1) || !strcmp(path, "/proc")) shim_remark("reads ", path);
  return 0;
}
